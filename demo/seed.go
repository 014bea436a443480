package demo

import (
	"encoding/base64"
	"time"
)

// owner is the member whose token it is: who calls when a request does not say.
const owner = "coder"

// newTracker makes a tracker with the data that every tracker starts with.
func newTracker() *tracker {
	t := &tracker{now: time.Date(2026, time.January, 12, 9, 0, 0, 0, time.UTC), chats: []string{"general", "dev"}}
	t.members = []*Member{
		{Slug: "anna", Name: "Анна Петрова", Kind: "human", Status: "idle"},
		{Slug: owner, Name: "Coder", Kind: "agent", Status: "idle"},
		{Slug: "reviewer", Name: "Reviewer", Kind: "agent", Status: "busy"},
		{Slug: "tester", Name: "Тестировщик", Kind: "agent", Status: "idle"},
	}
	board := &Project{ID: "project-1", Slug: "team-board", Key: "TE", Name: "Team Board", next: 12}
	site := &Project{ID: "project-2", Slug: "website", Key: "WEB", Name: "Сайт компании", next: 3}
	t.projects = []*Project{board, site}
	t.seedTasks(board, site)
	t.seedMessages()
	return t
}

func (t *tracker) seedTasks(board, site *Project) {
	t.add(board, &Task{Title: "Экспорт отчёта в CSV", Description: "Кнопка на странице отчётов, кодировка UTF-8.",
		Type: "feature", Status: "backlog", Priority: "low", Labels: []string{"reports"}})
	t.add(board, &Task{Title: "Search ignores the letter ё", Description: "Searching for «ёлка» must also find «елка».",
		Type: "bug", Status: "done", Priority: "medium", Assignee: "tester", Labels: []string{"search"}})
	t.add(board, &Task{Title: "Rate limit for the public API", Description: "Answer 429 with Retry-After.",
		Type: "feature", Status: "in_review", Priority: "high", Assignee: "reviewer", Labels: []string{"api", "backend"}})
	t.add(board, &Task{Title: "Исправить вход по одноразовой ссылке", Description: "Ссылка из письма открывается второй раз. Нужна проверка и тест.",
		Type: "bug", Status: "todo", Priority: "urgent", Labels: []string{"auth", "backend"}})
	t.add(board, &Task{Title: "Дублируются уведомления в чате", Description: "Приходит два уведомления на одно упоминание.",
		Type: "bug", Status: "in_progress", Priority: "high", Assignee: "reviewer", Labels: []string{"backend", "chat"}})
	t.add(board, &Task{Title: "Dark theme for the board", Description: "Follow the system setting.",
		Type: "feature", Status: "todo", Priority: "medium", Labels: []string{"frontend"}})
	t.add(site, &Task{Title: "Обновить страницу контактов", Description: "Новый адрес и часы работы.",
		Type: "task", Status: "todo", Priority: "low", Labels: []string{"content"}})
	taken, _ := t.task("TE-16")
	t.step(taken, "Воспроизвести").Done = true
	t.step(taken, "Найти второй вызов")
}

func (t *tracker) seedMessages() {
	t.post(Message{ChatID: "general", Author: "anna", Content: "Доброе утро! TE-15 сегодня самая важная.", Mentions: []string{owner}})
	log := t.post(Message{TaskID: "TE-16", Author: "tester", Content: "Повторяется на каждом упоминании, журнал приложен.", Mentions: []string{"reviewer"}})
	t.attach(log, "журнал.txt", []byte("10:02:11 notify user=anna\n10:02:11 notify user=anna\n"))
	shot := t.post(Message{TaskID: "TE-17", Author: "anna", Content: "So etwa. Something like this.", Mentions: []string{}})
	t.attach(shot, "dark.png", pixel)
}

// pixel is a PNG image of one dark pixel.
var pixel, _ = base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNQAAAAIgAhTmcdhgAAAABJRU5ErkJggg==")
