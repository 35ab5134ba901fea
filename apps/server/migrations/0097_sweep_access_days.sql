-- What was handed out longer ago than tells what is usual of somebody is forgotten.
grant delete on access_days to custodia_app;
