-- How the attempts of a request ended, where there was more than the one: JSON, written as it came.
alter table request_logs add column attempts text;
alter type charge add attribute attempts text;
