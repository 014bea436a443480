// The TypeScript SDK lists the tools of `tbridge serve --demo` and plays a task's life.
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const client = new Client({ name: "interop", version: "1" });
await client.connect(new StdioClientTransport({ command: process.argv[2], args: ["serve", "--demo"] }));

const { tools } = await client.listTools();
assert.equal(tools.length, 23);
assert.equal(tools[0].name, "upload_file"); // in the order of the files
for (const tool of tools) {
  assert.equal(tool.inputSchema.type, "object");
  assert.equal(tool.inputSchema.additionalProperties, false, tool.name);
  assert.ok(tool.description, tool.name);
}

const call = (name, args) => client.callTool({ name, arguments: args });
const says = async (name, args, text) => {
  const result = await call(name, args);
  assert.ok(!result.isError, JSON.stringify(result));
  assert.equal(result.content[0].text, text);
  return result.structuredContent;
};

assert.equal((await says("take_task", { task_id: "TE-15" }, "✅ Задача TE-15 взята в работу")).assignee, "coder");
const step = await says("add_step", { task_id: "TE-15", title: "Тест" }, "✅ Шаг step-3 добавлен: Тест");
await says("complete_step", { task_id: "TE-15", step_id: step.id }, "✅ Шаг step-3 сделан: Тест");
await says("send_message", { task_id: "TE-15", content: "Готово" }, "✅ Сообщение msg-4 отправлено");
await says("update_task", { task_id: "TE-15", status: "in_review" }, "✅ Задача TE-15 обновлена (in_review)");

const taken = await call("take_task", { task_id: "TE-15", agent_slug: "reviewer" });
assert.equal(taken.isError, true);
assert.equal(taken.content[0].text, "❌ Ошибка: задача TE-15 уже взята: coder");
assert.equal(taken.structuredContent.error.kind, "conflict");

const faulty = await call("take_task", { task: "TE-15" });
assert.equal(faulty.structuredContent.error.kind, "invalid_arguments");

const file = await call("download_file", { attachment_id: "att-2" });
assert.equal(file.content[0].type, "resource");
assert.equal(file.content[0].resource.mimeType, "image/png");

await client.close();
console.log(`interop: ${tools.length} tools listed, a task's life played`);
