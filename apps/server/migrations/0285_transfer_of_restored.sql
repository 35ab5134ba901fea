-- Runs of transfers look for what was restored since the last one. Few payloads ever are, and deleting one writes no entry here.
create index payloads_restored on payloads (client_id, restored_at) where restored_at is not null;
