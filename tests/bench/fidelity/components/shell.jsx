// A page is { words, start, done, View }: View gets the page's state and a setter; done says whether the task is solved.
import { useState } from "react";
import { createRoot } from "react-dom/client";

export function show(pages) {
  const page = pages[document.documentElement.dataset.page];
  function Root() {
    const [state, setState] = useState(page.start);
    window.verdict = () => [true, page.done(state) ? 1 : 0];
    return (
      <main style={{ padding: 24, maxWidth: 720, fontFamily: "sans-serif" }}>
        <p id="query">{page.words}</p>
        <page.View state={state} set={setState} />
      </main>
    );
  }
  createRoot(document.getElementById("root")).render(<Root />);
}
