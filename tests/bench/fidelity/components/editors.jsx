// Rich text and drag and drop.
import { closestCenter, DndContext, PointerSensor, useDraggable, useDroppable, useSensor, useSensors } from "@dnd-kit/core";
import { arrayMove, SortableContext, useSortable, verticalListSortingStrategy } from "@dnd-kit/sortable";
import { CSS } from "@dnd-kit/utilities";
import { EditorContent, useEditor } from "@tiptap/react";
import StarterKit from "@tiptap/starter-kit";
import Quill from "quill";
import "quill/dist/quill.snow.css";
import { useEffect, useRef } from "react";
import { show } from "./shell.jsx";

function Tiptap({ set }) {
  const editor = useEditor({ extensions: [StarterKit], content: "<p></p>", onUpdate: ({ editor }) => set(editor.getHTML()) });
  return (
    <>
      <button onMouseDown={(e) => e.preventDefault()} onClick={() => editor.chain().focus().toggleBold().run()}>Bold</button>
      <button onMouseDown={(e) => e.preventDefault()} onClick={() => editor.chain().focus().toggleBulletList().run()}>List</button>
      <div style={{ border: "1px solid grey", minHeight: 120, padding: 8 }}><EditorContent editor={editor} /></div>
    </>
  );
}

function QuillView({ set }) {
  const host = useRef(null);
  useEffect(() => {
    const quill = new Quill(host.current, { theme: "snow", modules: { toolbar: [["bold", "italic"], [{ list: "bullet" }], ["blockquote"]] } });
    quill.on("text-change", () => set(quill.root.innerHTML));
  }, []);
  return <div><div ref={host} style={{ height: 140 }} /></div>;
}

function Item({ id }) {
  const { attributes, listeners, setNodeRef, transform, transition } = useSortable({ id });
  return <li ref={setNodeRef} {...attributes} {...listeners} style={{ transform: CSS.Transform.toString(transform), transition, padding: 12, border: "1px solid grey", margin: 4, listStyle: "none", width: 200 }}>{id}</li>;
}

function Sortable({ state, set }) {
  const sensors = useSensors(useSensor(PointerSensor));
  const end = ({ active, over }) => over && active.id !== over.id && set((s) => arrayMove(s, s.indexOf(active.id), s.indexOf(over.id)));
  return <DndContext sensors={sensors} collisionDetection={closestCenter} onDragEnd={end}><SortableContext items={state} strategy={verticalListSortingStrategy}><ul style={{ padding: 0 }}>{state.map((id) => <Item key={id} id={id} />)}</ul></SortableContext></DndContext>;
}

function Card() {
  const { attributes, listeners, setNodeRef, transform } = useDraggable({ id: "card" });
  return <div ref={setNodeRef} {...listeners} {...attributes} style={{ transform: CSS.Translate.toString(transform), width: 120, padding: 16, background: "#def" }}>Card</div>;
}
function Bin({ id }) {
  const { setNodeRef, isOver } = useDroppable({ id });
  return <div ref={setNodeRef} style={{ width: 180, height: 120, border: "2px dashed grey", background: isOver ? "#efe" : "white" }}>{id}</div>;
}
function Bins({ set }) {
  const sensors = useSensors(useSensor(PointerSensor, { activationConstraint: { distance: 5 } }));
  return <DndContext sensors={sensors} onDragEnd={({ over }) => set(over ? over.id : "")}><Card /><div style={{ display: "flex", gap: 40, marginTop: 60 }}><Bin id="Doing" /><Bin id="Done" /></div></DndContext>;
}

function Html5({ state, set }) {
  return (
    <div style={{ display: "flex", gap: 60 }}>
      {["left", "right"].map((side) => (
        <div key={side} id={side} onDragOver={(e) => e.preventDefault()} onDrop={(e) => set((s) => ({ ...s, [e.dataTransfer.getData("text/plain")]: side }))} style={{ width: 180, minHeight: 160, border: "1px solid grey" }}>
          {Object.keys(state).filter((name) => state[name] === side).map((name) => <div key={name} draggable onDragStart={(e) => e.dataTransfer.setData("text/plain", name)} style={{ padding: 8, margin: 6, background: "#fed" }}>{name}</div>)}
        </div>
      ))}
    </div>
  );
}

show({
  "tiptap-bold": { words: "Write: plain, then bold in bold.", start: "", done: (s) => s === "<p>plain <strong>bold</strong></p>", View: Tiptap },
  "tiptap-list": { words: "Make a list of one and two.", start: "", done: (s) => s.replace(/<p><\/p>$/, "") === "<ul><li><p>one</p></li><li><p>two</p></li></ul>", View: Tiptap },
  "tiptap-correct": { words: "Write cat, correct it to car.", start: "", done: (s) => s === "<p>car</p>", View: Tiptap },
  "quill-bold": { words: "Write note and make it bold.", start: "", done: (s) => s === "<p><strong>note</strong></p>", View: QuillView },
  "quill-list": { words: "Make a list of salt and oil.", start: "", done: (s) => (s.match(/data-list="bullet"/g) || []).length === 2 && s.includes("salt") && s.includes("oil"), View: QuillView },
  "dnd-sortable": { words: "Move Alpha below Gamma.", start: ["Alpha", "Beta", "Gamma", "Delta"], done: (s) => s.join() === "Beta,Gamma,Alpha,Delta", View: Sortable },
  "dnd-bins": { words: "Drag the card to Done.", start: "", done: (s) => s === "Done", View: Bins },
  "html5-lists": { words: "Drag Tea and Salt to the right.", start: { Tea: "left", Rice: "left", Salt: "left" }, done: (s) => s.Tea === "right" && s.Salt === "right" && s.Rice === "left", View: Html5 },
});
