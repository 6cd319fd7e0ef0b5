// One capture per tab: rrweb looks into the frames of the page's own origin itself.
if (window !== top) {
  if (document.currentScript) document.currentScript.remove();
  return;
}
