-- For a reader of some groups, a search first asks whether a word of a text, or a person, has a payload in those groups. A hidden one then costs
-- as much as a missing one.
create index content_words_group on content_words (client_id, token, group_id);
create index payloads_person_group on payloads (client_id, device_user_id, group_id) where device_user_id is not null;
