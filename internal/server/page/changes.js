// Changes of resources, which are answers of functions and plans of links alike.
import { table } from "./dom.js";

/** Returns the rows of a list of mutations: resource, path, what happens, value, number of the function. */
export function changes(mutations) {
  const rows = [];
  for (const { Resource: resource, ResourceMutationInfo: whole, PathMutationMap: paths } of mutations ?? []) {
    const name = `${resource.ResourceType} ${resource.ResourceName}`;
    const add = (path, info) => {
      if (info.MutationType !== "None") {
        rows.push({ name, path, what: info.MutationType, value: (info.Value ?? "").trimEnd(), by: info.Index });
      }
    };
    const inside = Object.entries(paths ?? {});
    if (inside.length === 0) add("", whole);
    for (const [path, info] of inside) add(path, info);
  }
  return rows;
}

/** Makes a table of changes. by names the function with a number, if that is of interest. */
export function changesTable(label, rows, by) {
  return table(label, ["Resource", "Path", "Change", "Value", ...by ? ["Function"] : []],
    rows.map((r) => [r.name, r.path, r.what, r.value, ...by ? [by(r.by)] : []]));
}
