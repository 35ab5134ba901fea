-- The roles and the database of an installation; neither role is a superuser. With psql, as a superuser:
--     psql postgres://postgres@db.example/postgres -v password=… -v backup_password=… -f deploy/database.sql
create role custodia login createrole password :'password';
create database custodia owner custodia encoding 'UTF8' template template0;
-- Reads the rows of all clients, for custodia backup alone.
create role custodia_backup login bypassrls password :'backup_password';
grant pg_read_all_data to custodia_backup;
