-- For a reader of some groups, a search first asks whether a number or word exists in those groups. A hidden one then costs as much as a
-- missing one.
create index payload_numbers_group on payload_numbers (client_id, number_hash, group_id);
create index payload_words_group on payload_words (client_id, word_hash, group_id);
