// Requests to the program that serves this page. See Services/API.md.

/** What an error answer says. `column` counts from 1 in a query's text. */
class APIError extends Error {
    constructor(status, { code = "failed", message = "The request failed.", column, } = {}, body = null) {
        super(message);
        this.status = status;
        this.code = code;
        this.column = column;
        /** The whole answer: conflicts come with an outcome. */
        this.body = body;
    }
}

/** The name of this tab, 32 letters and digits. */
export const tab = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** The address of a request with parameters; those without a value are left out. */
export function address(path, parameters = {}) {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters)) {
        if (value !== undefined && value !== null) query.set(name, String(value));
    }
    const text = query.toString();
    return `/api${path}${text ? `?${text}` : ""}`;
}

async function answer(response) {
    if (response.status === 204) return null;
    const isJSON = (response.headers.get("Content-Type") ?? "").includes("json");
    const body = isJSON ? await response.json().catch(() => null) : await response.text();
    if (response.ok) return body;
    throw new APIError(response.status, body?.error ?? { message: `The program answered with status ${response.status}.` }, body);
}

async function request(url, options) {
    let response;
    try {
        response = await fetch(url, { credentials: "same-origin", cache: "no-store", ...options });
    } catch (error) {
        if (error.name === "AbortError") throw error;
        throw new APIError(0, { code: "disconnected", message: "The program that serves this page does not answer." });
    }
    return answer(response);
}

/** Requests sent before they are asked for, by what identifies them: {answer, time}. */
const asked = new Map();
/** Milliseconds after which an answer that nobody took up may be out of date. */
const validity = 3000;

/** Sends a request whose answer the next `get` or `post` of the same takes up. */
export function ask(path, content, method = "GET") {
    const answer = method === "GET" ? get(path, content) : post(path, content, method);
    const identity = method === "GET" ? address(path, content) : `${address(path)} ${JSON.stringify(content)}`;
    asked.set(identity, { answer, time: performance.now() });
    answer.catch(() => {});
    return answer;
}

/** After a commit, answers that nobody took up are out of date. */
export function forgetAsked() { asked.clear(); }

function takeUp(identity) {
    const found = asked.get(identity);
    asked.delete(identity);
    return found && performance.now() - found.time < validity ? found.answer : null;
}

/** Reads. `signal` aborts. */
export function get(path, parameters, signal) {
    const url = address(path, parameters);
    return takeUp(url) ?? request(url, { signal });
}

/** Reads at the version that the tab's views show. */
export function getShown(path, parameters, signal) {
    return get(path, { ...parameters, tab }, signal);
}

/** Sends JSON. */
export function post(path, content = {}, method = "POST") {
    const url = address(path), body = JSON.stringify(content);
    return takeUp(`${url} ${body}`) ?? request(url, { method, headers: { "Content-Type": "application/json", "X-Freehold": "1" }, body });
}

/** Sends bytes: a File, a Blob or an ArrayBuffer. */
export function send(path, parameters, bytes) {
    return request(address(path, parameters), {
        method: "POST",
        headers: { "Content-Type": "application/octet-stream", "X-Freehold": "1" },
        body: bytes,
    });
}

/** Deletes; an answer is not waited for when the page closes. */
export function remove(path, parameters) {
    return request(address(path, parameters), {
        method: "DELETE",
        headers: { "Content-Type": "application/json", "X-Freehold": "1" },
        keepalive: true,
    });
}

/** The path of a file's requests. */
export function filePath(file, rest) {
    return `/files/${encodeURIComponent(file)}/${rest}`;
}

/** Downloads what an address answers. The cookie goes along, and the answer is never shown as a page. */
export function download(url) {
    const anchor = document.createElement("a");
    anchor.href = url;
    anchor.download = "";
    document.body.append(anchor);
    anchor.click();
    anchor.remove();
}
