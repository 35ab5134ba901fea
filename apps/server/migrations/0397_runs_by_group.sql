-- Whether a number or a word exists in a group: asked before it is looked up for whoever sees some groups only, so that what is hidden
-- costs what is missing.
create index payload_numbers_group on payload_numbers (client_id, number_hash, group_id);
create index payload_words_group on payload_words (client_id, word_hash, group_id);
