// What `audit.py` runs in a page: the faults below a selector, as texts.
([selector, names, areLinksOurs]) => {
  const faults = new Set();
  const forbidden = new Set(['script', 'iframe', 'frame', 'object', 'embed', 'form', 'base', 'meta', 'link', 'style',
    'applet', 'portal', 'marquee', 'template', 'noscript', 'area', 'map', 'video', 'audio', 'source', 'track',
    'animate', 'set', 'foreignobject', 'feimage', 'image', 'mglyph', 'dialog', 'x-y', 'bgsound', 'frameset']);
  const loading = new Set(['srcset', 'poster', 'background', 'ping', 'data', 'formaction', 'action', 'srcdoc', 'manifest',
    'lowsrc', 'dynsrc', 'longdesc', 'codebase', 'usemap', 'autofocus', 'contenteditable', 'accesskey']);
  const schemeOf = value => { try { return new URL(value, location.href).protocol; } catch { return 'none:'; } };
  const saysWhereto = ({ title, host }) => {
    const shown = /^https?:\/\/([^/?#]*)/i.exec(title)?.[1];
    return shown !== undefined && /^[\x21-\x7e]*$/.test(shown) && new URL(`https://${shown}`).host === host;
  };
  const lookAt = (element, isDrawn) => {
    const say = what => faults.add(`${what}: ${element.outerHTML.slice(0, 160)}`);
    const tag = element.localName;
    const isOwnIcon = element.closest('svg[data-icon]') !== null;
    if (forbidden.has(tag) && !isOwnIcon) say(`a ${tag}`);
    for (const { name, value } of element.attributes) {
      if (/^on/i.test(name)) say('a handler');
      if (loading.has(name) && value !== 'false') say(name);
      if (/^data-commandlinker/.test(name)) say('a command');
      if (['id', 'name'].includes(name) && names.includes(value)) say('a name that is taken');
      if (/(^|:)href$/.test(name) && !['http:', 'https:', 'mailto:'].includes(schemeOf(value))) say('a link that runs');
      if (/(^|:)href$/.test(name) && tag !== 'a' && !/^(#|https?:)/.test(value)) say('an address');
      if (name === 'src' && !/^(data:image\/(png|jpeg|gif|webp)[;,]|blob:)/.test(value)) say('a source');
      if (name === 'style' && /url\s*\(|image-set|expression|@import/i.test(value)) say('a style that loads');
      if (isDrawn && name === 'style' && /position:(?!\s*relative)|inset|z-index/i.test(value)) say('a style that covers the page');
      if (isDrawn && name === 'class' && /\b(jp-(?!Rendered|icon|mod|Mermaid|pi-|InternalAnchorLink)|lm-|jp-pi-(?!Markdown|Link))/.test(value)) {
        say('a class of the application');
      }
    }
    if (areLinksOurs && tag === 'a' && /^https?:/.test(element.getAttribute('href') ?? '')) {
      if (!/noopener/.test(element.rel)) say('a link that gets hold of the page');
      if (!/noreferrer/.test(element.rel) && element.referrerPolicy !== 'no-referrer') say('a link that tells whence');
      if (!saysWhereto(element)) say('a link that does not say whereto');
    }
    if (element.shadowRoot) walk(element.shadowRoot, isDrawn);
  };
  const walk = (root, isDrawn) => {
    for (const element of root.querySelectorAll('*')) {
      lookAt(element, isDrawn || element.parentElement?.closest('.jp-RenderedMarkdown') != null);
    }
  };
  document.querySelectorAll(selector).forEach(root => walk(root, false));
  if (top.pwned !== undefined) faults.add(`${top.pwned} has run`);
  return [...faults];
}
