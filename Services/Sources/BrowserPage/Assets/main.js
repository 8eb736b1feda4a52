// Builds the page once what is open is known, and shows what the address says.
import { h, fill, button, icon } from "./dom.js";
import { signedIn } from "./start.js";
import { listenToKeys } from "./help.js";
import { live } from "./live.js";
import { app, settings } from "./app.js";
import "./sidebar.js";
import "./status-strip.js";
import "./edit-bar.js";
import "./pane.js";

const page = document.getElementById("page");

function showState(title, text, action) {
    page.className = "alone";
    fill(page, h("main", { class: "state" }, icon("warning"), h("h1", {}, title), h("p", {}, text), action));
}

async function start() {
    await signedIn;
    try {
        await app.load();
    } catch (error) {
        if (error.status === 401) showState(
            "Open a link of freehold-browse",
            "This browser has not opened one yet, or the link was used already: each works once. Press Enter in the terminal of "
                + "freehold-browse to print another one."
        );
        else showState("No answer", error.message, button({ text: "Try again", primary: true, press: start }));
        return;
    }
    build();
}

function build() {
    const sidebar = document.createElement("fh-sidebar"), status = document.createElement("fh-status"),
        edits = document.createElement("fh-edits");
    const panes = h("main", { class: "panes" });
    const toggleSidebar = () => {
        const isHidden = page.classList.toggle("without-sidebar");
        settings.write("sidebarHidden", isHidden);
    };
    page.className = settings.read("sidebarHidden", false) ? "without-sidebar" : "";
    fill(page, sidebar, panes, edits, status);
    status.prepend(button({ icon: "sidebar", quiet: true, title: "Hide or show the sidebar (B)", press: toggleSidebar }));
    listenToKeys({ sidebar, edits, pane: (index) => panes.children[index], toggleSidebar });

    const show = () => {
        while (panes.children.length > app.routes.length) panes.lastElementChild.remove();
        app.routes.forEach((route, index) => {
            const pane = panes.children[index] ?? panes.appendChild(document.createElement("fh-pane"));
            pane.show(index, route);
        });
        const route = app.routes[app.active], file = app.file(route.file);
        document.title = file ? `${route.class ?? route.view} – ${file.name}` : "Freehold";
    };
    app.on("routes", show);
    app.on("files", show);
    window.addEventListener("popstate", () => app.readAddress());
    live.start();
    app.readAddress();
    const [first] = app.state.files;
    if (
        app.routes[0].view === "start" && first && app.state.files.length === 1
    ) app.go(0, { view: "objects", file: first.id }, { replace: true });
}

start();
