-- Positions and telemetry go as what a phone logged does: when its account's policy says so. The newest report of a phone goes with it.
grant delete on gps_points, telemetry, telemetry_latest to custodia_app;
