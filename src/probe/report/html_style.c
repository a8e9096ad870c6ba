/*
 * The style sheet and the script of the page. Text colours keep a contrast of 4.5 and more on every ground they stand
 * on, in both schemes (tests/warp/html_browser.test.sh measures it); the colours of phases are those of Okabe and Ito
 * (2008), told apart by colour-blind readers, and are never the only sign.
 */
#include "probe/report/html_parts.h"

static const char *const style[] = {
    /* Light, dark, and light again on paper. */
    ":root{color-scheme:light dark;--ground:#faf9f6;--panel:#fff;--ink:#1f1d1a;--soft:#5d574f;--line:#e3ded6;"
    "--accent:#a63c06;--cold:#2b4c7e;--good:#0b6a50;--bad:#a3290f;--note:#fdf3e3;--start:#8f8a82;--rest:#cdc7be;"
    "--front:#cc79a7;--header:#e69f00;--compile:#d55e00;--link:#0072b2;--load:#009e73;--program:#8cc8ee}\n",
    "@media screen and (prefers-color-scheme:dark){:root{--ground:#161412;--panel:#1f1c19;--ink:#ece8e2;"
    "--soft:#b8b1a7;--line:#39342e;--accent:#f39a66;--cold:#8db5ea;--good:#6fd0ad;--bad:#ff9d80;--note:#2f2617;"
    "--start:#8a847b;--rest:#4a443d;--program:#4f9fd0}}\n",
    "*{box-sizing:border-box}html{-webkit-text-size-adjust:100%;scroll-behavior:smooth}\n"
    "body{margin:0;background:var(--ground);color:var(--ink);"
    "font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;"
    "font-variant-numeric:tabular-nums}\n"
    "main{max-width:78rem;margin:0 auto;padding:2rem clamp(1rem,4vw,3rem) 4rem}\n"
    "code,.module{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;font-size:.875em;"
    "overflow-wrap:anywhere}\n",
    "h1{font-size:clamp(1.6rem,1.1rem + 2.2vw,2.6rem);line-height:1.15;letter-spacing:-.02em;margin:.2rem 0 1rem;"
    "text-wrap:balance}\n"
    "h2{font-size:1.4rem;line-height:1.25;letter-spacing:-.01em;margin:0 0 .5rem}\n"
    "h3{font-size:1rem;margin:1.5rem 0 .5rem}h4{font-size:.875rem;margin:1rem 0 .25rem;color:var(--soft)}\n"
    "p{margin:.4rem 0}section{margin-top:3rem}section.first{margin-top:1.5rem}.first h2{margin-top:2.25rem}\n",
    ".kicker{color:var(--accent);font-weight:600;font-size:.875rem;margin:0}\n"
    ".command code{display:block;background:var(--panel);border:1px solid var(--line);border-radius:.5rem;"
    "padding:.6rem .9rem;font-size:.9375rem}\n"
    ".facts,.note,.lead{color:var(--soft)}.facts,.note{font-size:.875rem}.lead{max-width:46em;margin-bottom:1rem}\n"
    ".facts{display:flex;flex-wrap:wrap;gap:0 1.2rem}.facts span{white-space:nowrap}\n"
    ".spread{color:var(--soft);font-size:.8125rem;white-space:nowrap}\n"
    ".alert{background:var(--note);border-left:.25rem solid var(--bad);border-radius:.25rem;padding:.6rem .9rem;"
    "overflow-wrap:anywhere}\n"
    ".tag{display:inline-block;border:1px solid var(--line);border-radius:.35rem;padding:0 .45rem;font-size:.8125rem;"
    "font-weight:600;background:var(--ground);overflow-wrap:anywhere}.tag+.tag{margin-left:.35rem}\n",
    /* Tiles and verdicts. */
    ".tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(15rem,100%),1fr));gap:.9rem;margin:1rem 0}\n"
    ".tile,.verdict{background:var(--panel);border:1px solid var(--line);border-radius:.75rem;padding:1rem 1.2rem;"
    "min-width:0}.tile.cold{border-top:.25rem solid var(--cold)}\n"
    ".tile.warm{border-top:.25rem solid color-mix(in srgb,var(--cold) 45%,var(--panel))}\n"
    ".tiles dt{color:var(--soft);font-size:.875rem}.tiles dd{margin:0;font-size:.9375rem;overflow-wrap:anywhere}\n"
    ".tiles dd.big{font-size:2rem;line-height:1.2;font-weight:650;letter-spacing:-.02em;margin:.1rem 0 .2rem}\n"
    ".verdict{border-left-width:.4rem}.better{border-left-color:var(--good)}.worse{border-left-color:var(--bad)}\n"
    ".better .big{color:var(--good)}.worse .big{color:var(--bad)}\n",
    /* Causes. */
    ".causes{list-style:none;counter-reset:cause;align-items:start;margin:1rem 0 0;padding:0;display:grid;gap:.9rem;"
    "grid-template-columns:repeat(auto-fit,minmax(min(20rem,100%),1fr))}\n"
    ".causes li{counter-increment:cause;background:var(--panel);border:1px solid var(--line);border-radius:.75rem;"
    "padding:1rem 1.2rem;min-width:0;overflow-wrap:anywhere}\n"
    ".causes li::before{content:counter(cause);color:var(--accent);font-weight:700;float:right;margin-left:.75rem}\n"
    ".causes li.finding{border-top:.25rem solid var(--accent)}\n"
    ".cost{color:var(--soft)}.cost b{color:var(--ink);font-size:1.4rem;letter-spacing:-.01em}\n"
    ".remedy{font-size:.9375rem;border-top:1px solid var(--line);padding-top:.5rem;margin-top:.6rem}\n"
    ".place{display:inline-block;max-width:100%}.place b,.place .folder{display:inline-block;max-width:100%}"
    ".place b{font-weight:600;color:var(--accent)}"
    ".place .folder{color:var(--soft)}.places .place{margin-right:.75rem}\n"
    ".identity{color:var(--soft);font-size:.8125rem}\n",
    "nav{position:sticky;top:0;z-index:1;display:flex;gap:.1rem 1.1rem;overflow-x:auto;background:var(--ground);"
    "border-bottom:1px solid var(--line);padding:.7rem 0;margin-top:2.5rem;scrollbar-width:none}\n"
    "nav a{color:var(--ink);font-size:.9375rem;text-decoration:none;white-space:nowrap}"
    "nav a:hover,nav "
    "a:focus-visible{color:var(--accent);text-decoration:underline}section[id]{scroll-margin-top:3.5rem}\n",
    /* Pictures. */
    "svg{display:block;overflow:hidden}svg text{fill:var(--soft);font-size:12px}\n"
    ".strip{width:100%}.grid{stroke:var(--line);stroke-width:1}\n"
    ".p-start{fill:var(--start);background:var(--start)}.p-front{fill:var(--front);background:var(--front)}\n"
    ".p-header{fill:var(--header);background:var(--header)}.p-compile{fill:var(--compile);background:var(--compile)}\n"
    ".p-link{fill:var(--link);background:var(--link)}.p-load{fill:var(--load);background:var(--load)}\n"
    ".p-program{fill:var(--program);background:var(--program)}.p-rest{fill:var(--rest);background:var(--rest)}\n"
    ".c-cold{fill:var(--cold)}.c-difference{fill:var(--accent)}.pale{fill-opacity:.45}\n"
    ".c-void{fill:none;stroke:var(--soft);stroke-width:1.5}circle{fill-opacity:.85;stroke:var(--panel);stroke-width:1}"
    "\n"
    "circle.pale{fill-opacity:.55}.whisker{stroke:var(--ink);stroke-width:1.5}.median{stroke:var(--ink);"
    "stroke-width:2}.band{fill:var(--line)}\n"
    ".legend{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;list-style:none;margin:.5rem 0 1rem;padding:0;"
    "font-size:.875rem;color:var(--soft)}.legend li{display:flex;align-items:center}\n"
    "i[class^=p-]{display:inline-block;width:.75rem;height:.75rem;border-radius:.2rem;margin-right:.45rem;flex:none}\n",
    "figure{margin:0}figcaption{font-size:.9375rem;color:var(--soft)}figcaption b,figcaption .value{color:var(--ink)}\n"
    ".timeline{background:var(--panel);border:1px solid var(--line);border-radius:.75rem;padding:1rem 1.2rem;"
    "margin:0 0 1rem}.timeline figcaption{margin-bottom:.6rem}\n"
    ".lane{display:grid;grid-template-columns:minmax(0,15rem) minmax(0,1fr);gap:0 1rem;align-items:center;"
    "border-top:1px solid transparent}\n"
    ".lane .label{font:.8125rem/18px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;"
    "overflow-wrap:anywhere}.lane.thread .label{padding-left:1rem;color:var(--soft)}\n"
    ".lane.module .label{color:var(--soft);font-size:.75rem}.lane:not(.module)+.module{border-top-color:var(--line);"
    "margin-top:.5rem;padding-top:.5rem}.lane.axis{border-top-color:var(--line);margin-top:.4rem}"
    ".lane.axis .label{font-family:inherit;color:var(--soft);font-size:.75rem}\n"
    ".stack{display:grid;grid-template-columns:3.5rem minmax(0,1fr) auto;gap:.3rem 1rem;align-items:center;"
    "margin:0 0 1.5rem;font-size:.9375rem}.stack .strip{border-radius:.3rem}\n"
    ".columns{display:grid;gap:1rem 2.5rem;grid-template-columns:repeat(auto-fit,minmax(min(30rem,100%),1fr));"
    "align-items:start}\n"
    "@media (min-width:70rem){.uneven{grid-template-columns:minmax(0,1.35fr) minmax(0,1fr)}}\n"
    ".dots{background:var(--panel);border:1px solid var(--line);border-radius:.75rem;padding:.8rem 1.1rem}"
    ".ends{display:flex;justify-content:space-between;color:var(--soft);font-size:.75rem;margin:.1rem 0 0}\n",
    /* Tables. */
    "table{border-collapse:collapse;width:100%;font-size:.9375rem}caption{text-align:left;color:var(--soft);"
    "font-size:.875rem;padding:.4rem 0}\n"
    "th,td{text-align:left;vertical-align:top;padding:.35rem .9rem .35rem 0;border-bottom:1px solid var(--line);"
    "font-weight:400}thead th{color:var(--soft);font-size:.8125rem;vertical-align:bottom}th:last-child,"
    "td:last-child{padding-right:0}\n"
    ".number{text-align:right}.pairs .spread{display:block}.counts .spread{display:inline}.pairs "
    ".bar{width:40%;min-width:6rem;padding-top:.45rem}\n"
    ".pairs th[scope=row]{white-space:nowrap}.scroll{overflow-x:auto;margin:.5rem 0}.scroll:focus-visible{outline:2px "
    "solid var(--accent);outline-offset:2px}\n"
    ".sortable td{white-space:nowrap}.sortable .folder{display:none}"
    ".sortable th[scope=row]{min-width:12rem}.sortable .bar{min-width:9rem;width:34%;padding-top:.5rem}"
    ".sortable .number .spread{display:block}.sortable small{display:block;color:var(--soft);font-size:.8125rem}\n"
    ".sortable thead th{white-space:nowrap}thead button{all:unset;cursor:pointer}thead button:focus-visible{outline:"
    "2px solid var(--accent)}thead [aria-sort=ascending] button::after{content:' ↑'}"
    "thead [aria-sort=descending] button::after{content:' ↓'}\n"
    "details{margin-top:1rem}summary{cursor:pointer;font-weight:600}article{border-top:1px solid var(--line);"
    "padding:.2rem 0 .6rem;overflow-wrap:anywhere}article ul,section>ul{padding-left:1.2rem;margin:.3rem 0}\n"
    ".environment{display:grid;gap:.1rem;margin:.4rem 0}.environment div{display:grid;grid-template-columns:11rem 1fr;"
    "gap:1rem;border-bottom:1px solid var(--line);padding:.3rem 0}.environment dt{color:var(--soft)}"
    ".environment dd{margin:0;overflow-wrap:anywhere}\n",
    "@media "
    "(max-width:40rem){main{padding-top:1.25rem}.stack{grid-template-columns:minmax(0,1fr);gap:.1rem}.lane{grid-"
    "template-columns:minmax(0,1fr);"
    "gap:0}.timeline{padding:.8rem .8rem}.lane .label{font-size:.75rem}\n"
    ".pairs thead{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}.pairs tr{display:grid;"
    "grid-template-columns:1fr 1fr;border-bottom:1px solid var(--line);padding:.4rem 0}.pairs th,.pairs td{border:0;"
    "padding:.1rem 0}.pairs tbody th,.pairs td.bar{grid-column:1/-1;width:auto}.pairs td.number{text-align:left}"
    ".pairs td.number::before{content:attr(data-head) ' ';color:var(--soft)}.counts .spread{display:block}.environment "
    "div{grid-template-columns:1fr;gap:0}}\n",
    "@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}\n"
    "@media print{:root{--ground:#fff;--panel:#fff}body{font-size:10pt}nav{display:none}main{max-width:none;padding:0}"
    "*{print-color-adjust:exact;-webkit-print-color-adjust:exact}figure,.tile,.causes li,tr,article{break-inside:avoid}"
    "h2,h3,figcaption{break-after:avoid}.scroll{overflow:visible}.sortable td{white-space:normal}}\n",
};

/* Sorting by a click; without it the tables stay as they are written. */
static const char *const script[] = {
    "document.querySelectorAll('table.sortable').forEach(function(table){\n"
    "  var heads=table.tHead.rows[0].cells, body=table.tBodies[0];\n"
    "  Array.prototype.forEach.call(heads,function(head,column){\n"
    "    if(!head.textContent)return;\n"
    "    var button=document.createElement('button');\n"
    "    button.type='button';button.textContent=head.textContent;\n"
    "    head.textContent='';head.appendChild(button);\n"
    "    button.addEventListener('click',function(){\n"
    "      var number=head.className==='number';\n"
    "      var down=head.getAttribute('aria-sort')===(number?'descending':'ascending')?!number:number;\n"
    "      Array.prototype.forEach.call(heads,function(other){other.removeAttribute('aria-sort')});\n"
    "      head.setAttribute('aria-sort',down?'descending':'ascending');\n"
    "      function key(row){var cell=row.cells[column];\n"
    "        var text=cell.getAttribute('data-sort')||cell.textContent;\n"
    "        return number?parseFloat(text)||0:text.toLowerCase()}\n"
    "      Array.prototype.slice.call(body.rows).map(function(row){return{row:row,key:key(row)}})\n"
    "        .sort(function(a,b){var order=a.key<b.key?-1:a.key>b.key?1:0;return down?-order:order})\n"
    "        .forEach(function(item){body.appendChild(item.row)});\n"
    "    });\n"
    "  });\n"
    "});\n",
};

void
kiln_html_style(struct kiln_html *html)
{
  kiln_html_open(html, "style", NULL);
  for (size_t i = 0; i < sizeof style / sizeof *style; i++)
    kiln_html_raw(html, style[i]);
  kiln_html_close(html);
}

void
kiln_html_script(struct kiln_html *html)
{
  kiln_html_open(html, "script", NULL);
  for (size_t i = 0; i < sizeof script / sizeof *script; i++)
    kiln_html_raw(html, script[i]);
  kiln_html_close(html);
}
