/* Put at the end of a copy of the page by html_browser.test.sh: measures what a reader would stumble over. */
window.addEventListener('load', function () {
  var opened = performance.now();
  function round(value) { return Math.round(value * 100) / 100; }
  function hidden(element) {
    for (var at = element; at; at = at.parentElement) {
      var style = getComputedStyle(at);
      if (style.display === 'none' || style.visibility === 'hidden' || style.clipPath !== 'none') return true;
      if (/^(title|script|style)$/i.test(at.tagName)) return true;
      if (at.tagName === 'DETAILS' && !at.open && element.tagName !== 'SUMMARY') return true;
    }
    return false;
  }
  /* What is left of a box inside of everything that scrolls or cuts around it. */
  function visible(box, element) {
    var cut = { left: box.left, right: box.right, top: box.top, bottom: box.bottom };
    for (var at = element; at && at !== document.body; at = at.parentElement) {
      if (getComputedStyle(at).overflowX === 'visible') continue;
      var outer = at.getBoundingClientRect();
      cut.left = Math.max(cut.left, outer.left); cut.right = Math.min(cut.right, outer.right);
      cut.top = Math.max(cut.top, outer.top); cut.bottom = Math.min(cut.bottom, outer.bottom);
    }
    return cut.right - cut.left > 1 && cut.bottom - cut.top > 1 ? cut : null;
  }
  function channel(value) { value /= 255; return value <= 0.03928 ? value / 12.92 : Math.pow((value + 0.055) / 1.055, 2.4); }
  function numbers(color) { return (color.match(/[\d.]+/g) || []).map(Number); }
  function luminance(color) { return 0.2126 * channel(color[0]) + 0.7152 * channel(color[1]) + 0.0722 * channel(color[2]); }
  function ground(element) {
    for (var at = element; at; at = at.parentElement) {
      var color = numbers(getComputedStyle(at).backgroundColor);
      if (color.length === 3 || color[3] === 1) return color;
      if (color[3] > 0) return null; /* half transparent: not computed here, so it must not happen */
    }
    return [255, 255, 255];
  }
  var boxes = [], least = 99, leastText = '', strange = 0;
  var walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (var node = walker.nextNode(); node; node = walker.nextNode()) {
    var parent = node.parentElement, text = node.textContent.trim();
    if (!text || hidden(parent)) continue;
    var range = document.createRange();
    range.selectNodeContents(node);
    Array.prototype.forEach.call(range.getClientRects(), function (rect) {
      var cut = visible(rect, parent);
      if (cut) boxes.push({ box: cut, node: node, text: text.slice(0, 40) });
    });
    var svg = parent.namespaceURI === 'http://www.w3.org/2000/svg', style = getComputedStyle(parent);
    var front = numbers(svg ? style.fill : style.color), back = ground(svg ? parent.ownerSVGElement.parentElement : parent);
    if (!back || (front.length > 3 && front[3] < 1)) { strange++; continue; }
    var a = luminance(front), b = luminance(back), contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < least) { least = contrast; leastText = text.slice(0, 40); }
  }
  var overlaps = [];
  boxes.sort(function (x, y) { return x.box.top - y.box.top; });
  for (var i = 0; i < boxes.length; i++)
    for (var j = i + 1; j < boxes.length && boxes[j].box.top < boxes[i].box.bottom - 2; j++) {
      var p = boxes[i].box, q = boxes[j].box;
      var wide = Math.min(p.right, q.right) - Math.max(p.left, q.left), high = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
      if (boxes[i].node !== boxes[j].node && wide > 2 && high > 3) overlaps.push(boxes[i].text + ' / ' + boxes[j].text);
    }
  var beyond = boxes.filter(function (item) { return item.box.right > innerWidth + 1 || item.box.left < -1; });
  var result = document.createElement('pre');
  result.id = 'measured';
  result.textContent = JSON.stringify({
    width: innerWidth, dark: matchMedia('(prefers-color-scheme: dark)').matches, opened_ms: round(opened),
    scroll_width: document.documentElement.scrollWidth, beyond: beyond.map(function (item) { return item.text; }).slice(0, 5),
    boxes: boxes.length, overlap_count: overlaps.length, overlaps: overlaps.slice(0, 5),
    contrast: round(least), contrast_of: leastText, not_computed: strange,
    sortable: document.querySelectorAll('thead button').length
  });
  document.body.appendChild(result);
});
