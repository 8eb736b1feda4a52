// Source code to copy: model classes of the file, or a program that runs a query.
import { h, fill, button, copyText, uniqueId } from "./dom.js";
import { get, filePath } from "./requests.js";
import { app } from "./app.js";

const languages = [["swift", "Swift"], ["c", "C"], ["cpp", "C++"], ["python", "Python"]];
const comments = { swift: /\/\/.*/y, c: /\/\/.*|\/\*[^]*?\*\//y, cpp: /\/\/.*|\/\*[^]*?\*\//y, python: /#.*/y };
const keywords = new Set(`
    class struct enum case extension protocol func var let static final public private import include using namespace std template typename
    for in if else guard while do switch return try await catch throws const void int char auto uint64_t
    def with as from lambda self nil NULL null None true false True False
`.trim().split(/\s+/));

/** Pieces of source code with their kind, enough to colour it: comment, text, keyword or nothing. */
function highlighted(language, source) {
    const pieces = [], text = /"""[^]*?"""|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/y, word = /[A-Za-z_]\w*/y, other = /[^A-Za-z_"'/#]+|./ys;
    let place = 0;
    while (place < source.length) {
        for (const [kind, pattern] of [["comment", comments[language]], ["text", text], ["word", word], ["", other]]) {
            pattern.lastIndex = place;
            const match = pattern.exec(source);
            if (!match) continue;
            place += match[0].length;
            pieces.push([kind === "word" ? (keywords.has(match[0]) ? "keyword" : "") : kind, match[0]]);
            break;
        }
    }
    return pieces;
}

class CodeView extends HTMLElement {
    connectedCallback() {
        if (this.tools) return;
        this.tools = h("div", { class: "tools" });
        this.code = h("pre", { class: "code", tabindex: "0", "aria-label": "Source code" });
        this.append(this.tools, this.code);
    }

    async show(route) {
        this.route = route;
        const language = route.language ?? "swift", isSnippet = route.kind === "snippet" && route.class;
        const go = (changes) => app.go(this.paneIndex, { ...route, ...changes }, { replace: true });
        const name = uniqueId("language");
        fill(this.tools,
            h("p", { class: "result" }, h("strong", {}, isSnippet ? "A program that runs this query" : "Model classes of the file")),
            h("span", { class: "spring" }),
            route.class && h(
                "span", { class: "segments", role: "group", "aria-label": "What to show" },
                [["models", "Models"], ["snippet", "Query"]].map(
                    ([kind, text]) => h(
                        "button",
                        {
                            type: "button", "aria-pressed": String(Boolean(isSnippet) === (kind === "snippet")),
                            onclick: () => go({ kind }),
                        },
                        text,
                    )
                ),
            ),
            h("fieldset", { class: "segments" }, h("legend", { class: "offscreen" }, "Language"), languages.map(([value, text]) => {
                const radio = h("input", { type: "radio", name, value, id: `${name}-${value}`, onchange: () => go({ language: value }) });
                radio.checked = value === language;
                return [radio, h("label", { for: radio.id }, text)];
            })),
            button({ icon: "copy", text: "Copy", press: () => copyText(this.text ?? "") }));
        const kept = document.activeElement?.name;
        if (kept?.startsWith("language")) this.tools.querySelector("input:checked")?.focus();
        try {
            const answer = isSnippet
                ? await get(filePath(route.file, "snippet"), { language, class: route.class, query: route.query ?? "" })
                : await get(filePath(route.file, "models"), { language });
            if (this.route !== route) return;
            this.text = answer.text;
            fill(this.code, highlighted(language, answer.text).map(([kind, text]) => (kind ? h("span", { class: kind }, text) : text)));
        } catch (error) {
            fill(this.code, error.message);
        }
    }
}

customElements.define("fh-code", CodeView);
