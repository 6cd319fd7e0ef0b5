// Begin: listeners first, then the event of arrival, then delivery.
safely(() => {
  listenAll(window, "");
  listen(document, "DOMContentLoaded", () => safely(() => {
    markSecrets(document);
    announce();
  }));
  listen(window, "load", () => safely(announce));
  if (routes) {
    listen(routes, "navigate", (e) => safely(onNavigate, e));
    listen(routes, "currententrychange", (e) => safely(onEntryChange, e));
  }
  standIns(window, "");
});
safely(() => {
  if (firstInTab) write("tab", false, { action: "open" }, opened);
});
safely(startWorker);
safely(() => {
  const from = activation && activation.from;
  openStore(() => readNotes(from ? from.key : "", begin));
  askTick(300);
});
unsettled[unsettled.length] = (ticking) => {
  if (ticking && now() - opened > 250) begin();
};
