// Which fields are secret is the recorder's own rule, and so is what is struck out of every text. Here: what is looked at when.
const meet = isSecret;
/** Is what stands in an element typed, and secret? */
const hides = (el) => {
  const field = isField(lower(tagNameOf(el))) ? el : isEditable(el) && editableHost(el);
  return field && isSecretNow(field);
};
const addPlain = addForms;
/** A capture holds code too: also in HTML. */
addForms = (found, value) => {
  addPlain(found, value);
  addPlain(found, replaceText(replaceText(replaceText(value, /&/g, "&amp;"), /</g, "&lt;"), /"/g, "&quot;"));
};

const dots = (text) => {
  let out = "";
  for (let i = 0; i < text.length && i < 200; i++) out += "•";
  return out;
};

// From the first moment on: a field that once was a password stays one, also where the page shows it before rrweb looks.
const fieldsIn = (node) => {
  const type = nodeTypeOf(node);
  if (type !== 1 && type !== 9 && type !== 11) return;
  if (type === 1) meet(node);
  const which = "input,textarea,[contenteditable]";
  const inside = type === 1 ? queryInside(node, which) : queryAll[type](node, which);
  for (let i = 0; i < inside.length; i++) meet(inside[i]);
};
const queryInside = method(Element, "querySelectorAll");
const recordOf = { target: getter(MutationRecord, "target"), added: getter(MutationRecord, "addedNodes"), old: getter(MutationRecord, "oldValue"), name: getter(MutationRecord, "attributeName") };
const watchSecrets = (root) => {
  const observe = method(ObserverSaved, "observe");
  observe(new Observer((records) => {
    for (let i = 0; i < records.length; i++) {
      const target = recordOf.target(records[i]);
      if (recordOf.name(records[i]) === null) {
        const added = recordOf.added(records[i]);
        for (let j = 0; j < added.length; j++) fieldsIn(added[j]);
      } else {
        if (recordOf.name(records[i]) === "type" && recordOf.old(records[i]) === "password") markSecret(target);
        else meet(target);
      }
    }
  }), root, { __proto__: null, subtree: true, childList: true, attributes: true, attributeOldValue: true, attributeFilter: ["type", "name", "id", "autocomplete"] });
};
