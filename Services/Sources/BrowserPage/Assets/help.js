// The list of keys, on "?", and the keys that work everywhere.
import { h, fill, button } from "./dom.js";
import { live } from "./live.js";
import { app } from "./app.js";

const groups = [
    ["Everywhere", [
        ["?", "This list"], ["/", "Filter the classes"], ["Q", "Go to the query"], ["G", "Go to the grid"],
        ["O", "Go to the object's panel"], ["I", "Show or hide it"], ["1 – 4", "Objects, schema, file, code (outside the grid)"],
        ["Alt+1, Alt+2", "Left and right pane; Alt+2 opens one"], ["B", "Hide or show the sidebar"],
        ["Ctrl+click", "On a class or file: open it in the other pane"], ["Alt+P", "Pause or continue"],
        ["Ctrl+S", "Commit the staged edits"], ["Alt+R", "Review the staged edits"],
        ["Ctrl+Z", "Drop the last staged edit; if there is none, undo the last commit"],
        ["Ctrl+Shift+Z", "Redo what was undone"], ["Alt+←, Alt+→", "Back and forward"],
    ]],
    ["Grid", [
        ["Arrows, Page Up, Page Down", "Move"], ["Home, End", "First and last column"], ["Ctrl+Home, Ctrl+End", "First and last row"],
        ["Ctrl+G", "Go to a row"], ["Enter", "Follow a link, unfold a collection, edit or show"],
        ["Alt+Enter", "Show the object"], ["F2", "Edit the cell"], ["Space", "Select the row"],
        ["Shift+↑, Shift+↓", "Extend the selection"], ["Ctrl+A", "Select all of the query"],
        ["Ctrl+C", "Copy the cell, or the selected rows"],
        ["Delete", "Stage a deletion"], ["N", "Add an object"], ["F", "Only objects with this value"], ["W", "Watch the cell"],
    ]],
    [
        "Column headers (↑ from the first row)",
        [["Enter", "Sort by the column; Shift adds it"],
            ["Alt+↓", "Histogram, frequent values, sections"], ["Alt+←, Alt+→", "Width"]],
    ],
    [
        "Query",
        [
            ["Enter", "Run"], ["Ctrl+Space", "Completion"], ["Tab", "Take the completion"],
            ["↓", "Past queries if empty, else to the grid"], ["Alt+E", "Explain"],
        ],
    ],
    ["Editing", [["Enter", "Stage"], ["Tab", "Stage, and on to the next"], ["Escape", "Give up"]]],
];

let dialog = null;

function showHelp() {
    dialog ??= document.body.appendChild(h("dialog", { class: "help", "aria-label": "Keyboard" }));
    const close = button({ icon: "close", quiet: true, title: "Close", press: () => dialog.close() });
    fill(dialog, h("header", {}, h("h2", {}, "Keyboard"), h("span", { class: "quiet" }, `freehold-browse ${app.state.version}`), close),
        h(
            "div", { class: "key-groups", tabindex: "0" },
            groups.map(
                ([title, keys]) => h(
                    "section", {}, h("h3", {}, title),
                    h(
                        "dl", {},
                        keys.map(
                            ([key, text]) => h(
                                "div", {}, h("dt", {}, key.split(", ").map((one, index) => [index > 0 && " ", h("kbd", {}, one)])),
                                h("dd", {}, text),
                            )
                        ),
                    ),
                )
            ),
        ));
    dialog.showModal();
    close.focus();
}

/** Listens to the keys that work everywhere. `parts` gives the elements they are about. */
export function listenToKeys(parts) {
    document.addEventListener("keydown", (event) => {
        if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
        const isControl = event.ctrlKey || event.metaKey,
            isTyping = event.target.closest("input:not([type=checkbox]):not([type=radio]), textarea, select");
        const pane = parts.pane(app.active), objects = pane?.querySelector("fh-objects");
        const act = (action) => {
            event.preventDefault();
            action?.();
        };
        const key = event.key.toLowerCase();
        if (isControl && key === "s") act(() => parts.edits.commit());
        else if (isControl && key === "g") act(() => objects?.askForRow());
        else if (event.altKey && key === "p") act(() => live.setPaused(!live.isPaused));
        else if (event.altKey && key === "r") act(() => parts.edits.toggle());
        else if (event.altKey && (key === "1" || key === "2")) act(() => selectPane(parts, Number(key) - 1));
        else if (isTyping || event.altKey) return;
        else if (isControl && key === "z") act(() => (event.shiftKey ? parts.edits.redo() : parts.edits.undo()));
        else if (isControl && key === "y") act(() => parts.edits.redo());
        else if (isControl) return;
        else if (event.key === "?") act(showHelp);
        else if (key === "/") act(() => parts.sidebar.filter.focus());
        else if (key === "q") act(() => objects?.bar.focus());
        else if (key === "g") act(() => objects?.grid.view && objects.grid.activate(objects.grid.active.row, objects.grid.active.column));
        else if (key === "o") act(() => objects?.side.querySelector("h2")?.focus());
        else if (key === "i") act(() => objects?.toggleSide());
        else if (key === "b") act(parts.toggleSidebar);
        else if (/^[1-4]$/.test(key) && pane?.route?.file) act(
            () => app.go(app.active, pane.routeOf(["objects", "schema", "file", "code"][Number(key) - 1]))
        );
    });
    app.on("help", showHelp);
}

function selectPane(parts, index) {
    if (index === 1 && app.routes.length < 2) app.openBeside({ ...app.routes[0], object: undefined, trail: undefined });
    app.activate(index);
    parts.pane(index)?.querySelector("a[aria-current], button, [tabindex='0']")?.focus();
}
