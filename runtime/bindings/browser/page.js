// What quick actions do within a page.
({
  loaded() {
    if (document.readyState === 'complete') return true;
    return new Promise((done) => addEventListener('load', () => done(true)));
  },
  pause(ms) { return new Promise((done) => setTimeout(done, ms)); },
  addTag(kind, { url, content }) {
    const tag = document.createElement(kind === 'script' ? 'script' : url ? 'link' : 'style');
    const there = new Promise((done, fail) => {
      tag.onload = () => done(true);
      tag.onerror = () => fail(new Error(`${url} did not load`));
    });
    if (kind === 'script') { if (url) tag.src = url; else tag.textContent = content; }
    else if (url) { tag.rel = 'stylesheet'; tag.href = url; }
    else tag.textContent = content;
    document.head.append(tag);
    return url ? there : true;
  },
  async waitFor(selector, timeout) {
    const end = performance.now() + (timeout || 30000);
    while (!document.querySelector(selector)) {
      if (performance.now() > end) throw new Error(`nothing fits the selector ${selector}`);
      await new Promise((done) => setTimeout(done, 50));
    }
    return true;
  },
  content() {
    const type = document.doctype ? new XMLSerializer().serializeToString(document.doctype) : '';
    return type + document.documentElement.outerHTML;
  },
  links(visible, internal) {
    const shown = (a) => a.checkVisibility() && a.getClientRects().length > 0;
    return [...new Set([...document.querySelectorAll('a[href]')].filter((a) => !visible || shown(a)).map((a) => a.href)
      .filter((href) => !internal || new URL(href, location.href).host === location.host))];
  },
  box(selector) {
    const e = document.querySelector(selector);
    if (!e) throw new Error(`nothing fits the selector ${selector}`);
    const r = e.getBoundingClientRect();
    return { x: r.x + scrollX, y: r.y + scrollY, width: r.width, height: r.height, scale: 1 };
  },
  scrape(elements) {
    return elements.map(({ selector }) => ({ selector, results: [...document.querySelectorAll(selector)].map((e) => {
      const { height, width, top, left } = e.getBoundingClientRect();
      const attributes = [...e.attributes].map(({ name, value }) => ({ name, value }));
      return { attributes, height, html: e.innerHTML, left, text: e.innerText, top, width };
    }) }));
  },
  markdown() {
    const inline = (node) => [...node.childNodes].map((n) => {
      if (n.nodeType === Node.TEXT_NODE) return n.textContent.replace(/\s+/g, ' ');
      if (n.nodeType !== Node.ELEMENT_NODE) return '';
      const text = inline(n);
      switch (n.localName) {
        case 'script': case 'style': case 'noscript': case 'template': return '';
        case 'b': case 'strong': return text.trim() ? `**${text.trim()}**` : '';
        case 'i': case 'em': return text.trim() ? `_${text.trim()}_` : '';
        case 'code': return `\`${n.textContent}\``;
        case 'br': return '\n';
        case 'a': return n.href ? `[${text.trim()}](${n.href})` : text;
        case 'img': return `![${n.alt}](${n.src})`;
        default: return text;
      }
    }).join('');
    const blocks = (node, indent = '') => [...node.childNodes].flatMap((n) => {
      if (n.nodeType === Node.TEXT_NODE) return n.textContent.trim() ? [n.textContent.trim().replace(/\s+/g, ' ')] : [];
      if (n.nodeType !== Node.ELEMENT_NODE) return [];
      const level = /^h([1-6])$/.exec(n.localName);
      if (level) return [`${'#'.repeat(+level[1])} ${inline(n).trim()}`];
      switch (n.localName) {
        case 'script': case 'style': case 'noscript': case 'template': case 'head': return [];
        case 'p': return [inline(n).trim()].filter(Boolean);
        case 'hr': return ['---'];
        case 'pre': return ['```\n' + n.textContent.replace(/\n$/, '') + '\n```'];
        case 'blockquote': return [blocks(n).join('\n\n').replace(/^/gm, '> ')];
        case 'ul': case 'ol': return [[...n.children].map((li, i) =>
          `${n.localName === 'ol' ? `${i + 1}.` : '-'} ${blocks(li).join('\n').replace(/\n/g, '\n  ')}`).join('\n')];
        case 'table': {
          const rows = [...n.rows].map((r) => `| ${[...r.cells].map((c) => inline(c).trim()).join(' | ')} |`);
          if (n.rows[0]) rows.splice(1, 0, `|${' --- |'.repeat(n.rows[0].cells.length)}`);
          return [rows.join('\n')];
        }
      }
      const inner = [...n.children].some((c) => getComputedStyle(c).display !== 'inline');
      return inner ? blocks(n) : [inline(n).trim()].filter(Boolean);
    });
    return blocks(document.body).join('\n\n');
  },
})
