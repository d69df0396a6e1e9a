// What `audit.py` runs in a page: the faults below a selector, as texts.
([selector, names, areLinksOurs]) => {
  const faults = new Set();
  const forbidden = new Set(['script', 'iframe', 'frame', 'object', 'embed', 'form', 'base', 'meta', 'link', 'style',
    'applet', 'portal', 'marquee', 'template', 'noscript', 'area', 'map', 'video', 'audio', 'source', 'track',
    'animate', 'set', 'use', 'foreignobject', 'feimage', 'image', 'mglyph', 'dialog', 'x-y', 'bgsound', 'frameset']);
  const loading = new Set(['srcset', 'poster', 'background', 'ping', 'data', 'formaction', 'action', 'srcdoc', 'manifest',
    'lowsrc', 'dynsrc', 'longdesc', 'codebase', 'usemap', 'autofocus', 'contenteditable', 'accesskey']);
  const schemeOf = value => { try { return new URL(value, location.href).protocol; } catch { return 'none:'; } };
  const saysWhereto = ({ title, host }) => {
    const shown = /^https?:\/\/([^/?#]*)/i.exec(title)?.[1];
    return shown !== undefined && /^[\x21-\x7e]*$/.test(shown) && new URL(`https://${shown}`).host === host;
  };
  // As the browser says: to a form that has a control of that name, `form.attributes` is the control.
  const got = (name, kind = Element) => element => Object.getOwnPropertyDescriptor(kind.prototype, name).get.call(element);
  const [attributesOf, tagOf, htmlOf, shadowOf] = ['attributes', 'localName', 'outerHTML', 'shadowRoot'].map(name => got(name));
  const parentOf = got('parentElement', Node);
  const isWithin = (element, chosen) => element !== null && Element.prototype.closest.call(element, chosen) !== null;
  // What a page's own code has made bears a mark of it that no markup can have.
  const isMade = element => Object.getOwnPropertyNames(element ?? {}).some(name => /^_+react/.test(name));
  const isOurs = element => isMade(element) || (element.className === 'jp-pi-CodeBlock' && isMade(element.lastElementChild));
  const controls = ['button', 'input', 'select', 'textarea', 'option', 'output', 'progress', 'meter'];
  const lookAt = (element, isDrawn) => {
    const say = what => faults.add(`${what}: ${htmlOf(element).slice(0, 160)}`);
    const tag = tagOf(element).toLowerCase();
    const isOwnIcon = isWithin(element, 'svg[data-icon]');
    const isText = isDrawn && !isOurs(element);
    if (forbidden.has(tag) && !isOwnIcon) say(`a ${tag}`);
    if (isText && controls.includes(tag)) say(`a ${tag}`);
    for (const { name, value } of attributesOf(element)) {
      if (/^on/i.test(name)) say('a handler');
      if (loading.has(name) && value !== 'false') say(name);
      if (/^data-commandlinker/.test(name)) say('a command');
      if (['id', 'name'].includes(name) && names.includes(value)) say('a name that is taken');
      if (/(^|:)href$/.test(name) && !['http:', 'https:', 'mailto:'].includes(schemeOf(value))) say('a link that runs');
      if (/(^|:)href$/.test(name) && tag !== 'a' && !/^(#|https?:)/.test(value)) say('an address');
      if (name === 'src' && !/^(data:image\/(png|jpeg|gif|webp)[;,]|blob:)/.test(value)) say('a source');
      if (name === 'style' && /url\s*\(|image-set|expression|@import|\\/i.test(value)) say('a style that loads');
      const isPaint = /^(fill|stroke|filter|mask|clip-path|cursor|marker)/.test(name) && !isOwnIcon;
      if (isPaint && /url\s*\(\s*(?!["']?#)/i.test(value)) say('a paint that loads');
      if (isText && name === 'style' && /position:(?!\s*relative)|inset|z-index/i.test(value)) say('a style that covers the page');
      if (isText && name === 'class' && /\b(jp-(?!Rendered|icon|mod|Mermaid|InternalAnchorLink)|lm-)/.test(value)) {
        say('a class of the application');
      }
    }
    if (areLinksOurs && tag === 'a' && /^https?:/.test(element.getAttribute('href') ?? '')) {
      if (!/noopener/.test(element.rel)) say('a link that gets hold of the page');
      if (!/noreferrer/.test(element.rel) && element.referrerPolicy !== 'no-referrer') say('a link that tells whence');
      if (!saysWhereto(element)) say('a link that does not say whereto');
    }
    if (shadowOf(element)) walk(shadowOf(element), isDrawn);
  };
  const drawn = '.jp-RenderedMarkdown, .jp-pi-Inspector-markdown';
  const walk = (root, isDrawn) => {
    for (const element of root.querySelectorAll('*')) {
      lookAt(element, isDrawn || isWithin(parentOf(element), drawn));
    }
  };
  Document.prototype.querySelectorAll.call(document, selector).forEach(root => walk(root, false));
  if (top.pwned !== undefined) faults.add(`${top.pwned} has run`);
  return [...faults];
}
