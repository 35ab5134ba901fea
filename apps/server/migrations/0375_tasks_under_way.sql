-- Most tasks of one client that are under way at a time can be limited for a lane. A task is under way while it is taken and its lease lasts:
-- `due_at` alone does not tell such a task from one that waits for its next attempt.
alter table client_tasks add column is_taken boolean not null default false;
