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
      description: "", method: "GET", path: "/things/{id}",
      arguments: [{ name: "id", type: "string", required: true, description: "" }],
    },
  },
  {
    name: "list",
    title: "List things",
    about: "GET /things, with a line of text for each",
    tool: {
      description: "", method: "GET", path: "/things",
      arguments: [{ name: "status", type: "string", description: "" }],
      response: { text: "Things: {#}", each: "- {id}: {title}" },
    },
  },
  {
    name: "create",
    title: "Create a thing",
    about: "POST /things, arguments in a JSON body",
    tool: {
      description: "", method: "POST", path: "/things",
      arguments: [{ name: "title", type: "string", required: true, description: "" }],
      response: { text: "✅ Thing {id} created" },
    },
  },
  {
    name: "update",
    title: "Change a thing",
    about: "PATCH /things/{id}",
    tool: {
      description: "", method: "PATCH", path: "/things/{id}",
      arguments: [
        { name: "id", type: "string", required: true, description: "" },
        { name: "title", type: "string", description: "" },
      ],
    },
  },
  {
    name: "delete",
    title: "Delete a thing",
    about: "DELETE /things/{id}, marked destructive",
    tool: {
      description: "", method: "DELETE", path: "/things/{id}",
      arguments: [{ name: "id", type: "string", required: true, description: "" }],
    },
  },
  {
    name: "upload",
    title: "Send a file",
    about: "POST a multipart form with a file",
    tool: {
      description: "", method: "POST", path: "/files", encoding: "multipart",
      arguments: [{ name: "content", type: "file", required: true, description: "", as: "file" }],
    },
  },
];
