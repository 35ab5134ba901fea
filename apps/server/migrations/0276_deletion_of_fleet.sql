-- Phones and people that are long out of use are deleted by the policy; they are walked by when their use ended.
create index devices_ended on devices (client_id, deactivation_date, device_id) where is_deactivated and deleted_at is null;
create index device_users_ended on device_users (client_id, offboard_date, device_user_id) where not is_active and deleted_at is null;
