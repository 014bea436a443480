package demo

import (
	"bytes"
	"cmp"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strconv"
)

// A Message stands in a chat or under a task, never in both.
type Message struct {
	ID        string   `json:"id"`
	ChatID    string   `json:"chat_id,omitempty"`
	TaskID    string   `json:"task_id,omitempty"`
	ParentID  string   `json:"parent_id,omitempty"`
	Author    string   `json:"author"`
	Content   string   `json:"content"`
	Mentions  []string `json:"mentions"`
	CreatedAt string   `json:"created_at"`
}

// An Attachment is a file of a message.
type Attachment struct {
	ID        string `json:"id"`
	MessageID string `json:"message_id"`
	TaskID    string `json:"task_id,omitempty"`
	Filename  string `json:"filename"`
	MediaType string `json:"media_type"`
	Size      int    `json:"size"`

	content []byte
}

// A download is an attachment that is to be answered as the file itself.
type download struct{ *Attachment }

func (a download) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", a.MediaType)
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": a.Filename}))
	_, _ = w.Write(a.content)
}

func (t *tracker) listMessages(c *call) (any, error) {
	at, err := t.place(c.query.Get("chat_id"), c.query.Get("task_id"))
	if err != nil {
		return nil, err
	}
	limit := len(t.messages)
	if text := c.query.Get("limit"); text != "" {
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 {
			return nil, faultf(http.StatusUnprocessableEntity, "invalid_value", "limit должен быть целым числом от 1")
		}
	}
	found := []*Message{}
	for _, m := range t.messages {
		if (at.ChatID == "" || at.ChatID == m.ChatID) && (at.TaskID == "" || at.TaskID == m.TaskID) {
			found = append(found, m)
		}
	}
	return found[max(0, len(found)-limit):], nil
}

// place gives the chat or the task that a message is about, as far as it is named.
func (t *tracker) place(chat, task string) (Message, error) {
	if chat != "" && !slices.Contains(t.chats, chat) {
		return Message{}, missing("чат", chat)
	}
	if task == "" {
		return Message{ChatID: chat}, nil
	}
	found, err := t.task(task)
	if err != nil {
		return Message{}, err
	}
	return Message{ChatID: chat, TaskID: found.Key}, nil
}

func (t *tracker) sendMessage(c *call) (any, error) {
	var chat, task, parent, content string
	mentions := []string{}
	err := c.decode(fields{"chat_id": &chat, "task_id": &task, "parent_id": &parent, "content": &content, "mentions": &mentions})
	if err = cmp.Or(err, need("content", content)); err != nil {
		return nil, err
	}
	m, err := t.destination(chat, task, parent)
	if err != nil {
		return nil, err
	}
	for _, slug := range mentions {
		if _, err := t.member(slug); err != nil {
			return nil, err
		}
	}
	m.Author, m.Content, m.Mentions = c.me.Slug, content, mentions
	return t.post(m), nil
}

// destination gives an empty message where it belongs: in exactly one of a chat, a task and, for a reply, the
// place of its parent.
func (t *tracker) destination(chat, task, parent string) (Message, error) {
	given := 0
	for _, id := range []string{chat, task, parent} {
		if id != "" {
			given++
		}
	}
	if given != 1 {
		return Message{}, faultf(http.StatusUnprocessableEntity, "one_of", "нужно ровно одно из chat_id, task_id, parent_id")
	}
	if parent == "" {
		return t.place(chat, task)
	}
	m, err := t.message(parent)
	if err != nil {
		return Message{}, err
	}
	return Message{ChatID: m.ChatID, TaskID: m.TaskID, ParentID: m.ID}, nil
}

func (t *tracker) message(id string) (*Message, error) {
	for _, m := range t.messages {
		if m.ID == id {
			return m, nil
		}
	}
	return nil, missing("сообщение", id)
}

func (t *tracker) post(m Message) *Message {
	m.ID, m.CreatedAt = "msg-"+strconv.Itoa(len(t.messages)+1), t.tick()
	t.messages = append(t.messages, &m)
	return &m
}

func (t *tracker) uploadFile(c *call) (any, error) {
	m, err := t.message(c.PathValue("message"))
	if err != nil {
		return nil, err
	}
	name, content, err := c.file()
	if err != nil {
		return nil, err
	}
	return t.attach(m, name, content), nil
}

func (t *tracker) attach(m *Message, name string, content []byte) *Attachment {
	a := &Attachment{ID: "att-" + strconv.Itoa(len(t.attachments)+1), MessageID: m.ID, TaskID: m.TaskID, Filename: name,
		MediaType: http.DetectContentType(content), Size: len(content), content: content}
	t.attachments = append(t.attachments, a)
	return a
}

// file reads a multipart body (RFC 7578) that holds one part, a file named "file".
func (c *call) file() (name string, content []byte, err error) {
	kind, parameters, _ := mime.ParseMediaType(c.Header.Get("Content-Type"))
	if kind != "multipart/form-data" {
		return "", nil, faultf(http.StatusUnsupportedMediaType, "not_multipart", "тело должно быть multipart/form-data")
	}
	reader := multipart.NewReader(bytes.NewReader(c.body), parameters["boundary"])
	for {
		part, err := reader.NextPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			return "", nil, faultf(http.StatusBadRequest, "bad_multipart", "тело multipart/form-data не читается")
		}
		if part.FormName() != "file" || part.FileName() == "" || name != "" {
			return "", nil, faultf(http.StatusBadRequest, "unknown_field", "нужна одна часть file с именем файла, а не %q", part.FormName())
		}
		name = part.FileName()
		if content, err = io.ReadAll(part); err != nil {
			return "", nil, faultf(http.StatusBadRequest, "bad_multipart", "файл не читается")
		}
	}
	return name, content, need("file", name)
}

func (t *tracker) listFiles(c *call) (any, error) {
	project := ""
	if id := c.query.Get("project_id"); id != "" {
		p, err := t.project(id)
		if err != nil {
			return nil, err
		}
		project = p.Slug
	}
	at, err := t.place("", c.query.Get("task_id"))
	if err != nil {
		return nil, err
	}
	found := []*Attachment{}
	for _, a := range t.attachments {
		if (at.TaskID == "" || at.TaskID == a.TaskID) && (project == "" || t.inProject(a, project)) {
			found = append(found, a)
		}
	}
	return found, nil
}

func (t *tracker) inProject(a *Attachment, project string) bool {
	task, err := t.task(a.TaskID)
	return err == nil && task.Project == project
}

func (t *tracker) downloadFile(c *call) (any, error) {
	for _, a := range t.attachments {
		if a.ID == c.PathValue("attachment") {
			return download{a}, nil
		}
	}
	return nil, missing("файл", c.PathValue("attachment"))
}
