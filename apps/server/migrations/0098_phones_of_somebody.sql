-- Which phones somebody had, and until when: gaps in capture begin where the last one went.
create index device_history_user on device_history (client_id, device_user_id) where device_user_id is not null;
