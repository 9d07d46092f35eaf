/**
 * The script of the documentation page, which renders `/openapi.json` and sends test requests. It is a separate file because
 * the policy of the page forbids inline scripts. It inserts text only, never HTML, and keeps the API key in memory only.
 */
import { exampleOf, resolved } from "./example.ts"

export const script = `"use strict";
(async function () {
  const el = (name, attributes, ...children) => {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) {
      if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
      else if (value !== undefined && value !== false) node.setAttribute(key, value === true ? "" : value);
    }
    for (const child of children.flat()) if (child !== null && child !== undefined) node.append(child);
    return node;
  };
  // The service may be served under any path.
  const root = new URL("..", document.currentScript.src);
  const spec = await (await fetch(new URL("openapi.json", root))).json();
  const resolved = ${resolved};
  const exampleOf = ${exampleOf};
  const follow = (node) => resolved(node, spec);
  const typeOf = (schema) => {
    const s = follow(schema);
    if (s.const !== undefined) return JSON.stringify(s.const);
    if (s.enum) return s.enum.map((v) => JSON.stringify(v)).join(" | ");
    if (s.anyOf) return s.anyOf.map(typeOf).join(" | ");
    if (s.type === "array") return "array of " + typeOf(s.items);
    return (s.type || "any") + (s.format ? " (" + s.format + ")" : "") + (s.maxLength ? ", at most " + s.maxLength : "") + (s.pattern ? ", " + s.pattern : "");
  };
  const fields = (schema, prefix, depth) => {
    const s = follow(schema);
    const rows = [];
    const part = s.anyOf ? s.anyOf.map(follow).find((member) => member.properties) || s : s;
    for (const [name, member] of Object.entries(part.properties || {})) {
      const inner = follow(member);
      const required = (part.required || []).includes(name);
      rows.push(el("tr", {}, el("td", {}, el("code", {}, prefix + name)), el("td", {}, typeOf(member)), el("td", { class: "dim" }, required ? "Required" : "Optional"), el("td", {}, inner.description || "")));
      if (depth < 3) rows.push(...fields(inner.type === "array" ? inner.items : inner, prefix + name + (inner.type === "array" ? "[]." : "."), depth + 1));
    }
    return rows;
  };
  const table = (schema) => {
    const rows = fields(schema, "", 0);
    return rows.length === 0 ? el("p", { class: "dim" }, "No members.") : el("table", {}, el("tbody", {}, rows));
  };
  const key = document.getElementById("key");
  const tryIt = (method, path, operation) => {
    const parameters = (operation.parameters || []).map(follow).map((p) => ({ p, input: el("input", { class: "mono", "aria-label": p.name, placeholder: p.name }) }));
    const content = operation.requestBody && operation.requestBody.content["application/json"];
    const first = content && content.examples && Object.values(content.examples)[0];
    const body = content ? el("textarea", { "aria-label": "Body", spellcheck: "false" }) : null;
    if (body && first) body.value = JSON.stringify(first.value, null, 2);
    const output = el("pre", { hidden: true, "aria-live": "polite" });
    const send = async () => {
      let url = path;
      const query = new URLSearchParams();
      const headers = {};
      if (key.value) headers.authorization = "Bearer " + key.value;
      for (const { p, input } of parameters) {
        if (p.in === "path") url = url.replace("{" + p.name + "}", encodeURIComponent(input.value));
        else if (input.value !== "" && p.in === "query") query.set(p.name, input.value);
        else if (input.value !== "") headers[p.name] = input.value;
      }
      if (body) headers["content-type"] = "application/json";
      output.hidden = false;
      output.textContent = "...";
      try {
        const response = await fetch(new URL(url.slice(1) + (query.size > 0 ? "?" + query : ""), root), { method: method.toUpperCase(), headers, body: body ? body.value : undefined });
        const text = await response.text();
        let shown = text;
        try { shown = JSON.stringify(JSON.parse(text), null, 2); } catch { shown = text; }
        output.textContent = response.status + " " + response.statusText + "\\n" + shown;
      } catch (error) {
        output.textContent = String(error);
      }
    };
    return el("details", {}, el("summary", {}, "Try it"),
      parameters.map(({ p, input }) => el("div", { class: "field" }, el("span", {}, p.name + " (" + p.in + ")" + (p.required ? ", required" : ", optional")), input)),
      body, el("p", {}, el("button", { type: "button", onclick: send }, "Send")), output);
  };
  const nav = document.querySelector("nav");
  const main = document.querySelector("main");
  main.replaceChildren(el("p", {}, spec.info.description), el("p", { class: "dim" }, "Base URL: " + spec.servers[0].url + ". OpenAPI document: ", el("a", { href: "openapi.json" }, "openapi.json"), "."));
  for (const tag of spec.tags) {
    nav.append(el("h2", {}, tag.name));
    const links = el("ul", {});
    nav.append(links);
    main.append(el("h2", {}, tag.name), el("p", { class: "dim" }, tag.description || ""));
    for (const [path, item] of Object.entries(spec.paths)) {
      for (const [method, operation] of Object.entries(item)) {
        if (!operation.tags || operation.tags[0] !== tag.name) continue;
        const id = operation.operationId;
        links.append(el("li", {}, el("a", { href: "#" + id }, operation.summary)));
        const content = operation.requestBody && operation.requestBody.content["application/json"];
        const success = operation.responses["200"].content["application/json"];
        main.append(el("section", { class: "operation", id },
          el("h3", {}, operation.summary),
          el("p", {}, el("span", { class: "method" }, method.toUpperCase()), " ", el("code", {}, path)),
          operation.description && operation.description !== operation.summary ? el("p", {}, operation.description) : null,
          content ? [el("h4", {}, "Body"), table(content.schema)] : null,
          el("details", {}, el("summary", {}, "Response"), table(success.schema), el("pre", {}, JSON.stringify({ ...exampleOf(success.schema, spec), message: "OK" }, null, 2))),
          el("details", {}, el("summary", {}, "Errors"), el("ul", {}, Object.entries(operation.responses).filter(([status]) => status !== "200").flatMap(([status, response]) =>
            Object.keys(follow(response).content["application/json"].examples).map((code) =>
              el("li", {}, status + " ", el("a", { href: "docs/errors/" + code }, code), ": " + spec.components.examples[code].summary))))),
          tryIt(method, path, operation)));
      }
    }
  }
  if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
})();
`
