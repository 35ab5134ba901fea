-- Only its author edits a comment: others reply to it, or close it with a reason.
alter table payload_comments
  add in_reply_to text collate "C",
  -- Sealed under the comment's key; null: closed by the author without one, or open.
  add sealed_reason bytea,
  add check (sealed_reason is null or closed_at is not null),
  add foreign key (client_id, in_reply_to) references payload_comments (client_id, comment_id);
create index payload_comments_reply on payload_comments (client_id, in_reply_to) where in_reply_to is not null;

grant update (sealed_reason) on payload_comments to custodia_app;
