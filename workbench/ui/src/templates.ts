// What a new tool may begin as.
import type { Json } from "./api";

interface Template {
  name: string;
  title: string;
  about: string;
  tool: Json; // without its name
}

export const templates: Template[] = [
  {
    name: "get",
    title: "Read one thing",
    about: "GET /things/{id}",
    tool: {
      method: "GET", path: "/things/{id}",
      arguments: [{ name: "id", type: "string", required: true }],
    },
  },
  {
    name: "list",
    title: "List things",
    about: "GET /things, with a line of text for each",
    tool: {
      method: "GET", path: "/things",
      arguments: [{ name: "status", type: "string" }],
      response: { text: "Things: {#}", each: "- {id}: {title}" },
    },
  },
  {
    name: "create",
    title: "Create a thing",
    about: "POST /things, arguments in a JSON body",
    tool: {
      method: "POST", path: "/things",
      arguments: [{ name: "title", type: "string", required: true }],
      response: { text: "✅ Thing {id} created" },
    },
  },
  {
    name: "update",
    title: "Change a thing",
    about: "PATCH /things/{id}",
    tool: {
      method: "PATCH", path: "/things/{id}",
      arguments: [
        { name: "id", type: "string", required: true },
        { name: "title", type: "string" },
      ],
    },
  },
  {
    name: "delete",
    title: "Delete a thing",
    about: "DELETE /things/{id}, marked destructive",
    tool: {
      method: "DELETE", path: "/things/{id}",
      arguments: [{ name: "id", type: "string", required: true }],
    },
  },
  {
    name: "upload",
    title: "Send a file",
    about: "POST a multipart form with a file",
    tool: {
      method: "POST", path: "/files", encoding: "multipart",
      arguments: [{ name: "content", type: "file", required: true, as: "file" }],
    },
  },
];
