package demo

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// The words that a field may hold.
var (
	statuses   = []string{"backlog", "todo", "in_progress", "in_review", "done"}
	types      = []string{"task", "bug", "feature"}
	priorities = []string{"low", "medium", "high", "urgent"}
	presences  = []string{"idle", "busy", "away", "offline"}
)

// A Task is a piece of work. It is called by its ID or by its Key.
type Task struct {
	ID          string   `json:"id"`
	Key         string   `json:"key"`
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Type        string   `json:"type"`
	Status      string   `json:"status"`
	Priority    string   `json:"priority"`
	Project     string   `json:"project"`
	Assignee    string   `json:"assignee,omitempty"`
	Parent      string   `json:"parent,omitempty"`
	Labels      []string `json:"labels"`
	UpdatedAt   string   `json:"updated_at"`

	watchers []string
	steps    []*Step
}

// A Step is one line of a task's plan.
type Step struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Done  bool   `json:"done"`
}

// A Member is a person or an agent.
type Member struct {
	Slug   string `json:"slug"`
	Name   string `json:"name"`
	Kind   string `json:"kind"` // human or agent
	Status string `json:"status"`
}

// A Project holds tasks, whose keys begin with its Key.
type Project struct {
	ID   string `json:"id"`
	Slug string `json:"slug"`
	Key  string `json:"key"`
	Name string `json:"name"`

	next int // the number of its next task
}

// A tracker is everything one server knows. mu guards all of it.
type tracker struct {
	mu          sync.Mutex
	now         time.Time
	requests    int
	projects    []*Project
	members     []*Member
	tasks       []*Task
	chats       []string
	messages    []*Message
	attachments []*Attachment
	steps       int // steps made so far
}

func (t *tracker) routes() []route {
	return []route{
		{"GET /tasks", 200, []string{"project_id", "status", "assignee", "labels"}, t.listTasks},
		{"POST /tasks", 201, nil, t.createTask},
		{"GET /tasks/{task}", 200, nil, t.onTask(t.getTask)},
		{"PATCH /tasks/{task}", 200, nil, t.onTask(t.updateTask)},
		{"POST /tasks/{task}/take", 200, nil, t.onTask(t.takeTask)},
		{"POST /tasks/{task}/reject", 200, nil, t.onTask(t.rejectTask)},
		{"POST /tasks/{task}/assign", 200, nil, t.onTask(t.assignTask)},
		{"POST /tasks/{task}/watch", 200, nil, t.onTask(t.watchTask)},
		{"GET /tasks/{task}/steps", 200, nil, t.onTask(t.listSteps)},
		{"POST /tasks/{task}/steps", 201, nil, t.onTask(t.addStep)},
		{"PATCH /tasks/{task}/steps/{step}", 200, nil, t.onTask(t.updateStep)},
		{"GET /messages", 200, []string{"chat_id", "task_id", "limit"}, t.listMessages},
		{"POST /messages", 201, nil, t.sendMessage},
		{"POST /messages/{message}/files", 201, nil, t.uploadFile},
		{"GET /files", 200, []string{"task_id", "project_id"}, t.listFiles},
		{"GET /attachments/{attachment}", 200, nil, t.downloadFile},
		{"GET /projects", 200, nil, func(*call) (any, error) { return t.projects, nil }},
		{"GET /projects/{slug}", 200, nil, func(c *call) (any, error) { return t.project(c.PathValue("slug")) }},
		{"GET /members", 200, nil, func(*call) (any, error) { return t.members, nil }},
		{"GET /members/{slug}", 200, nil, func(c *call) (any, error) { return t.member(c.PathValue("slug")) }},
		{"PATCH /members/me", 200, nil, t.updateStatus},
	}
}

// tick moves the clock and gives the time of a change.
func (t *tracker) tick() string {
	t.now = t.now.Add(time.Minute)
	return t.now.Format(time.RFC3339)
}

func missing(what, id string) error {
	return faultf(http.StatusNotFound, "not_found", "%s не найден(а): %s", what, id)
}

func (t *tracker) task(id string) (*Task, error) {
	for _, task := range t.tasks {
		if task.ID == id || task.Key == id {
			return task, nil
		}
	}
	return nil, missing("задача", id)
}

func (t *tracker) project(id string) (*Project, error) {
	for _, p := range t.projects {
		if p.Slug == id || p.ID == id {
			return p, nil
		}
	}
	return nil, missing("проект", id)
}

func (t *tracker) member(slug string) (*Member, error) {
	for _, m := range t.members {
		if m.Slug == slug {
			return m, nil
		}
	}
	return nil, missing("участник", slug)
}

// onTask makes an endpoint of something that is done to the task in the path.
func (t *tracker) onTask(do func(*call, *Task) (any, error)) func(*call) (any, error) {
	return func(c *call) (any, error) {
		task, err := t.task(c.PathValue("task"))
		if err != nil {
			return nil, err
		}
		return do(c, task)
	}
}

func (t *tracker) listTasks(c *call) (any, error) {
	if err := oneOf("status", c.query.Get("status"), statuses); err != nil {
		return nil, err
	}
	project := ""
	if id := c.query.Get("project_id"); id != "" {
		p, err := t.project(id)
		if err != nil {
			return nil, err
		}
		project = p.Slug
	}
	matches := func(wanted, value string) bool { return wanted == "" || wanted == value }
	found := []*Task{}
	for _, task := range t.tasks {
		if matches(project, task.Project) && matches(c.query.Get("status"), task.Status) &&
			matches(c.query.Get("assignee"), task.Assignee) && holdsAll(task.Labels, c.query["labels"]) {
			found = append(found, task)
		}
	}
	return found, nil
}

func holdsAll(set, wanted []string) bool {
	return !slices.ContainsFunc(wanted, func(w string) bool { return !slices.Contains(set, w) })
}

func (t *tracker) getTask(_ *call, task *Task) (any, error) { return task, nil }

func (t *tracker) createTask(c *call) (any, error) {
	task := &Task{Type: types[0], Priority: "medium", Status: "todo", Labels: []string{}}
	err := c.decode(fields{"project_slug": &task.Project, "title": &task.Title, "description": &task.Description,
		"type": &task.Type, "priority": &task.Priority, "assignee_slug": &task.Assignee, "parent_id": &task.Parent})
	if err != nil {
		return nil, err
	}
	if err := need("project_slug", task.Project); err != nil {
		return nil, err
	}
	project, err := t.project(task.Project)
	if err = cmp.Or(err, t.accepts(task)); err != nil {
		return nil, err
	}
	if task.Parent != "" {
		parent, err := t.task(task.Parent)
		if err != nil {
			return nil, err
		}
		task.Parent = parent.Key
	}
	t.add(project, task)
	return task, nil
}

// accepts says what, if anything, is wrong with the words of a task.
func (t *tracker) accepts(task *Task) error {
	var err error
	if task.Assignee != "" {
		_, err = t.member(task.Assignee)
	}
	return cmp.Or(oneOf("type", task.Type, types), oneOf("status", task.Status, statuses),
		oneOf("priority", task.Priority, priorities), need("title", task.Title), err)
}

// add gives a task its number and puts it into its project.
func (t *tracker) add(p *Project, task *Task) {
	n := strconv.Itoa(p.next)
	p.next++
	task.ID, task.Key, task.Project = "task-"+strconv.Itoa(len(t.tasks)+1), p.Key+"-"+n, p.Slug
	task.watchers, task.steps, task.UpdatedAt = []string{}, []*Step{}, t.tick()
	t.tasks = append(t.tasks, task)
}

func (t *tracker) updateTask(c *call, task *Task) (any, error) {
	changed := *task
	err := c.decode(fields{"title": &changed.Title, "status": &changed.Status,
		"priority": &changed.Priority, "assignee_slug": &changed.Assignee})
	if err = cmp.Or(err, t.accepts(&changed)); err != nil {
		return nil, err
	}
	changed.UpdatedAt = t.tick()
	*task = changed
	return task, nil
}

// takeTask gives a free task to an agent. Of two that want it one gets it, and the other learns who has it.
func (t *tracker) takeTask(c *call, task *Task) (any, error) {
	agent, err := t.named(c, "agent_slug")
	switch {
	case err != nil:
		return nil, err
	case task.Status == "done":
		return nil, faultf(http.StatusConflict, "done", "задача %s уже закрыта", task.Key)
	case task.Assignee != "" && task.Assignee != agent.Slug:
		f := faultf(http.StatusConflict, "taken", "задача %s уже взята: %s", task.Key, task.Assignee)
		f.Details = map[string]string{"assignee": task.Assignee}
		return nil, f
	}
	task.Assignee, task.Status, task.UpdatedAt = agent.Slug, "in_progress", t.tick()
	return task, nil
}

// named gives the member that the body, a single field, names.
func (t *tracker) named(c *call, field string) (*Member, error) {
	slug, err := c.text(field)
	if err != nil {
		return nil, err
	}
	return t.member(slug)
}

func (t *tracker) rejectTask(c *call, task *Task) (any, error) {
	reason, err := c.text("reason")
	if err != nil {
		return nil, err
	}
	task.Assignee, task.Status, task.UpdatedAt = "", "todo", t.tick()
	return map[string]any{"ok": true, "reason": reason}, nil
}

func (t *tracker) assignTask(c *call, task *Task) (any, error) {
	member, err := t.named(c, "assignee_slug")
	if err != nil {
		return nil, err
	}
	task.Assignee, task.UpdatedAt = member.Slug, t.tick()
	return task, nil
}

func (t *tracker) watchTask(c *call, task *Task) (any, error) {
	member, err := t.named(c, "agent_slug")
	if err != nil {
		return nil, err
	}
	if !slices.Contains(task.watchers, member.Slug) {
		task.watchers = append(task.watchers, member.Slug)
	}
	return map[string]any{"ok": true, "watchers": task.watchers}, nil
}

func (t *tracker) listSteps(_ *call, task *Task) (any, error) { return task.steps, nil }

func (t *tracker) addStep(c *call, task *Task) (any, error) {
	title, err := c.text("title")
	if err != nil {
		return nil, err
	}
	return t.step(task, title), nil
}

func (t *tracker) step(task *Task, title string) *Step {
	t.steps++
	step := &Step{ID: "step-" + strconv.Itoa(t.steps), Title: title}
	task.steps = append(task.steps, step)
	return step
}

func (t *tracker) updateStep(c *call, task *Task) (any, error) {
	for _, step := range task.steps {
		if step.ID != c.PathValue("step") {
			continue
		}
		changed := *step
		err := c.decode(fields{"title": &changed.Title, "done": &changed.Done})
		if err = cmp.Or(err, need("title", changed.Title)); err != nil {
			return nil, err
		}
		*step = changed
		return step, nil
	}
	return nil, missing("шаг", c.PathValue("step"))
}

func (t *tracker) updateStatus(c *call) (any, error) {
	status, err := c.text("status")
	if err = cmp.Or(err, oneOf("status", status, presences)); err != nil {
		return nil, err
	}
	c.me.Status = status
	return map[string]string{"status": status}, nil
}
