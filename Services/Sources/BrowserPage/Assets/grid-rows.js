// Fills the rows of a grid: headings of sections, rows that are not here yet, and rows with their cells.
import { h, fill, icon } from "./dom.js";
import { cellText, clockText, countText, isSameCell, shortNumber } from "./cells.js";
import { cellView } from "./cell-view.js";
import { committer } from "./live.js";

/** Puts a cell into its column; there may be none before it. */
function placed(position, cell) {
    cell.style.gridColumn = String(position + 2);
    return cell;
}

/** The heading of a section. */
export function fillSection(grid, element, section) {
    element.className = "row section";
    fill(element, h("div",
        { role: "gridcell", class: "cell", "aria-colindex": "1", "aria-colspan": grid.columns.shown.length + 1, tabindex: "-1" },
        h("span", { class: "name" }, grid.view.section), cellView(section.cell), h("span", { class: "count" }, countText(section.count))));
}

/** A row that is not here yet. */
export function fillPlaceholder(grid, element, index) {
    element.className = "row placeholder";
    element.removeAttribute("aria-selected");
    fill(element, h("div", { role: "rowheader", class: "cell number", "aria-colindex": "1", tabindex: "-1" }, countText(index + 1)),
        grid.drawnColumns.map(
            ([column, position]) => placed(
                position,
                h(
                    "div", { role: "gridcell", class: "cell", "aria-colindex": position + 2, "aria-label": "Loading", tabindex: "-1" },
                    h("span", { class: "bar" }),
                ),
            )
        ));
}

/** A row; `change` is what the last commits changed of it. */
export function fillRow(grid, element, row, index, change) {
    const { edits, className } = grid.context;
    const rowClass = row.class ?? className;
    const isDeleted = row.key && edits.isDeleted(rowClass, row.key), isSelected = grid.keys.isSelected(row);
    element.className = [
        "row", change?.isNew && "new", isDeleted && "deleted", grid.context.openKey && row.key === grid.context.openKey && "open",
    ].filter(Boolean).join(" ");
    element.setAttribute("aria-selected", String(isSelected));
    const who = change?.commit ? `${committer(change.commit)}, ${clockText(change.commit.time)}` : "";
    fill(element, h("div", {
        role: "rowheader", class: "cell number", "aria-colindex": "1", tabindex: "-1",
        title: change?.isNew ? `New ${who && `by ${who}`}` : row.key ? `Object key ${row.key} ${row.class ?? ""}` : null,
    }, countText(index + 1)),
    grid.drawnColumns.map(([column, position]) => {
        const here = () => grid.activate(Number(element.dataset.position), position + 1, { focus: false, isQuiet: true });
        const staged = row.key ? edits.valueOf(rowClass, row.key, column.name) : null;
        const isChanged = change?.cells.has(column.index);
        const cell = staged ? staged.cell : row.cells[column.index];
        const isConflict = staged && !isSameCell(staged.was, row.cells[column.index]);
        // An aggregate has digits that nobody reads.
        const isShort = grid.view.isGrouped && typeof cell === "string" && ["double", "float"].includes(column.property.type);
        const cellElement = h("div", {
            role: "gridcell", "aria-colindex": position + 2, tabindex: "-1",
            class: [
                "cell", column.isNumeric && "numeric", staged && "staged", isConflict && "conflict", isChanged && "changed",
            ].filter(Boolean).join(" "),
            title: isConflict ? `Staged; another commit made it ${cellText(row.cells[column.index])}` : staged
                ? `Staged; was ${cellText(staged.was)}` : isChanged ? (who ? `Changed by ${who}` : "Changed")
                : isShort && shortNumber(cell) !== cell ? cell : null,
        }, isConflict && icon("warning"), cellView(isShort ? shortNumber(cell) : cell, {
            file: grid.context.file,
            follow: (link) => {
                here();
                grid.emit("open", { row, link });
            },
            unfold: () => {
                here();
                grid.emit("open", { row, property: column.name });
            },
        }));
        if (isChanged) cellElement.style.animationDelay = `${Math.round(change.time - performance.now())}ms`;
        return placed(position, cellElement);
    }));
}
