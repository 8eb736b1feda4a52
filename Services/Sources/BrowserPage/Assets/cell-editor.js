// Edits a value where it stands. What is entered is staged, never committed at once.
import { h, fill, button, uniqueId, debounced } from "./dom.js";
import { get, getShown, send, address, download, filePath, tab } from "./requests.js";
import { kindOf, editableText, mistakeIn, isTextType, cellOfValue } from "./cells.js";
import { place } from "./menu.js";
import { app } from "./app.js";

/** Whether a property's value is edited in one place; collections and embedded objects unfold instead. */
export const isEditable = (property) => Boolean(property) && !property.collections?.length
    && (isTextType(property.type) || ["bool", "link", "data", "mixed"].includes(property.type)) && !property.isEmbedded;

/**
 * An editor for a value.
 * @param {{file, class, key, property, cell, stage: (value, show) => void, done: (moved: "stay"|"next"|"previous"|"cancel"|"blur") => void,
 *          isDraft?: boolean}} options
 *  `stage` gets the value as an operation has it, and the cell that shows it. `isDraft`: there is no object yet.
 */
export function cellEditor(given) {
    const { property } = given;
    let isDone = false;
    // Removing an editor takes the focus from it, which would end it a second time.
    const options = {
        ...given,
        stage: (value, show) => { if (!isDone) given.stage(value, show); },
        done: (moved) => {
            if (isDone) return;
            isDone = true;
            given.done(moved);
        },
    };
    const editor = h("span", { class: "editor" });
    const kind = property.type === "bool" ? boolEditor : property.type === "link" ? linkEditor : property.type === "data" ? dataEditor
        : property.type === "mixed" ? mixedEditor : textEditor;
    kind(editor, options);
    editor.addEventListener("dblclick", (event) => event.stopPropagation());
    return editor;
}

function stage(options, value, label) {
    options.stage(value, cellOfValue(options.property, value, label));
}

/** Enter, Tab and Escape of a field; leaving it stages too. */
function listen(editor, field, options, take) {
    let isOver = false;
    const finish = (moved) => {
        if (isOver) return;
        if (moved !== "cancel" && !take()) return;
        isOver = true;
        options.done(moved);
    };
    editor.addEventListener("keydown", (event) => {
        if ((event.ctrlKey || event.metaKey) && event.key === "s") {
            // Goes on to commit what is staged here.
            finish("stay");
            return;
        }
        event.stopPropagation();
        if (event.key === "Escape") finish("cancel");
        else if (
            event.key === "Enter" && event.target === field && !(field.tagName === "TEXTAREA" && (event.shiftKey || event.altKey))
        ) finish("stay");
        else if (event.key === "Tab" && event.target === field) finish(event.shiftKey ? "previous" : "next");
        else return;
        event.preventDefault();
    });
    editor.addEventListener("focusout", (event) => {
        if (isOver || editor.contains(event.relatedTarget) || !document.hasFocus()) return;
        finish(take(true) ? "blur" : "cancel");
    });
    return finish;
}

function nullButton(options, finish) {
    if (!options.property.nullable) return null;
    return button({
        text: "null", title: "Set to null", class: "null-button", press: () => {
            stage(options, { null: true });
            options.done("stay");
        },
    });
}

function textEditor(editor, options) {
    const { property, cell, file } = options, type = property.type;
    const first = editableText(cell);
    const isLong = type === "string" && (kindOf(cell) === "cut" || (first ?? "").includes("\n") || options.isWide);
    const field = h(isLong ? "textarea" : "input", {
        class: type === "string" ? "" : "mono", spellcheck: "false", autocomplete: "off", "aria-label": property.name, value: first ?? "",
        placeholder: first === null ? "null" : "", rows: isLong ? "5" : null,
    });
    const mistake = h("span", { class: "mistake", role: "alert" });
    let given = first ?? "";
    const finish = listen(editor, field, options, () => {
        const text = field.value;
        if (field.disabled || text === given) return true;
        const wrong = mistakeIn(type, text.trim());
        if (type !== "string" && text.trim() === "" && property.nullable) stage(options, { null: true });
        else if (wrong) {
            fill(mistake, wrong);
            field.setAttribute("aria-invalid", "true");
            return false;
        } else stage(options, { text: type === "string" ? text : text.trim() });
        given = text;
        return true;
    });
    if (kindOf(cell) === "cut") {
        field.disabled = true;
        getShown(filePath(file, "text"), {
            class: options.class, key: options.key, property: property.name, from: 0, length: 1 << 20,
        }).then((answer) => {
            given = answer.text;
            field.value = answer.text;
            if (answer.next && answer.next < answer.bytes) fill(mistake, "Too long to edit here.");
            else field.disabled = false;
            field.focus();
        }, (error) => fill(mistake, error.message));
    }
    fill(editor, field, nullButton(options, finish), mistake);
    queueMicrotask(() => {
        field.focus();
        if (options.typed !== undefined) field.value = options.typed;
        else field.select();
    });
}

function boolEditor(editor, options) {
    const { property, cell } = options;
    const names = property.nullable ? ["true", "false", "null"] : ["true", "false"];
    const field = h("select", { "aria-label": property.name }, names.map((name) => h("option", { value: name }, name)));
    field.value = String(cell ?? (property.nullable ? "null" : "false"));
    listen(editor, field, options, () => {
        if (field.value === String(cell)) return true;
        stage(options, field.value === "null" ? { null: true } : { bool: field.value === "true" });
        return true;
    });
    fill(editor, field);
    queueMicrotask(() => field.focus());
}

function linkEditor(editor, given) {
    // The list stands outside of the grid, which would cut it off.
    const options = { ...given, done: (moved) => {
        list.remove();
        given.done(moved);
    } };
    const { property, file } = options;
    const list = h("ul", {
        class: "panel choices", role: "listbox", id: uniqueId("choices"), "aria-label": `Objects of ${property.target}`,
    });
    const field = h("input", {
        role: "combobox", "aria-expanded": "true", "aria-controls": list.id, "aria-autocomplete": "list",
        "aria-label": `${property.name}: find an object of ${property.target}`,
        autocomplete: "off", spellcheck: "false", placeholder: `find ${property.target}`,
    });
    let found = [], at = -1;
    const choose = (object) => {
        stage(options, { link: object.key }, object.label);
        options.done("stay");
    };
    const mark = () => [...list.children].forEach((row, index) => {
        row.setAttribute("aria-selected", String(index === at));
        if (index === at) field.setAttribute("aria-activedescendant", row.id);
    });
    const search = debounced(120, async () => {
        const answer = await get(filePath(file, "find"), {
            class: property.target, text: field.value, limit: 12,
        }).catch(() => ({ objects: [] }));
        const staged = app.edits(file).list.filter((one) => one.do === "add" && one.class === property.target);
        found = [...staged.map((one) => ({ isNew: true, key: one.name, label: `new: ${one.name}` })), ...answer.objects];
        at = -1;
        if (!editor.isConnected) {
            list.remove();
            return;
        }
        fill(list, found.map((object) => h("li", {
            role: "option", id: uniqueId("choice"), "aria-selected": "false",
            onpointerdown: (event) => {
                event.preventDefault();
                pick(object);
            },
        }, h("span", {}, object.label || object.key), h("span", { class: "detail" }, object.key))));
        if (!found.length) fill(list, h("li", { class: "none" }, "No object begins with this"));
        place(list, field);
    });
    const pick = (object) => {
        if (!object.isNew) return choose(object);
        stage(options, { new: object.key });
        return options.done("stay");
    };
    field.addEventListener("input", search);
    editor.addEventListener("keydown", (event) => {
        if (event.key === "ArrowDown" || event.key === "ArrowUp") {
            at = Math.max(-1, Math.min(found.length - 1, at + (event.key === "ArrowDown" ? 1 : -1)));
            mark();
            event.preventDefault();
            event.stopPropagation();
        } else if (event.key === "Enter" && event.target === field && found.length) {
            pick(found[Math.max(0, at)]);
            event.preventDefault();
            event.stopImmediatePropagation();
        }
    });
    const finish = listen(editor, field, options, () => true);
    fill(editor, field, nullButton(options, finish));
    queueMicrotask(() => {
        document.body.append(list);
        field.focus();
        search();
    });
}

function dataEditor(editor, options) {
    const { property, cell, file } = options;
    const input = h("input", { type: "file", class: "offscreen", tabindex: "-1", "aria-label": "File to upload" });
    const state = h("span", { class: "mistake", role: "status" });
    const upload = button({ icon: "upload", text: "Upload", press: () => input.click() });
    input.addEventListener("change", async () => {
        const chosen = input.files[0];
        if (!chosen) return;
        if (app.state.uploadLimit && chosen.size > app.state.uploadLimit) {
            fill(state, "The file is larger than the program accepts.");
            return;
        }
        fill(state, "Uploading…");
        try {
            const answer = await send(filePath(file, "uploads"), { tab }, chosen);
            options.stage({ upload: answer.upload }, { data: answer.bytes, start: "…" });
            options.done("stay");
        } catch (error) {
            fill(state, error.message);
        }
    });
    editor.addEventListener("keydown", (event) => {
        event.stopPropagation();
        if (event.key === "Escape") options.done("cancel");
    });
    fill(editor, upload,
        cell && !options.isDraft
            && button({
                icon: "download", text: "Download",
                press: () => download(address(filePath(file, "data"), { class: options.class, key: options.key, property: property.name })),
            }),
        nullButton(options), button({ icon: "close", quiet: true, title: "Cancel", press: () => options.done("cancel") }), input, state);
    queueMicrotask(() => upload.focus());
}

const mixedTypes = ["string", "int", "double", "bool", "date", "uuid", "objectId", "decimal", "float"];

function mixedEditor(editor, options) {
    const { cell, property } = options;
    const select = h("select", { "aria-label": "Type" }, mixedTypes.map((type) => h("option", { value: type }, type)));
    select.value = mixedTypes.includes(cell?.mixed) ? cell.mixed : "string";
    const field = h("input", { "aria-label": property.name, autocomplete: "off", spellcheck: "false", value: editableText(cell) ?? "" });
    const mistake = h("span", { class: "mistake", role: "alert" });
    const first = field.value, firstType = select.value;
    const finish = listen(editor, field, options, () => {
        if (field.value === first && select.value === firstType && cell) return true;
        const wrong = select.value === "bool" && !/^(true|false)$/.test(field.value) ? "true or false"
            : mistakeIn(select.value, field.value);
        if (wrong) {
            fill(mistake, wrong);
            return false;
        }
        stage(options, { mixed: select.value, text: field.value });
        return true;
    });
    fill(editor, select, field, nullButton({ ...options, property: { ...property, nullable: true } }, finish), mistake);
    queueMicrotask(() => field.focus());
}
