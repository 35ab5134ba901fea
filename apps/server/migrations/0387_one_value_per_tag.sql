-- A group has one value per tag: a required tag with two would be ambiguous. Which of two is meant is for people to say, so two stop the upgrade.
alter table group_tags drop constraint group_tags_pkey, add primary key (client_id, group_id, tag_key);
