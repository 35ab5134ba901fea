-- A carrier belongs to a country (ISO 3166-1 alpha-2), whatever its calling code; 003 (UN M.49) is North America.
alter table carrier_sightings add column country text collate "C";
update carrier_sightings s set country = c.country
from (values (1, '003'), (7, 'RU'), (20, 'EG'), (27, 'ZA'), (30, 'GR'), (31, 'NL'), (32, 'BE'), (33, 'FR'), (34, 'ES'), (36, 'HU'), (39, 'IT'), (40, 'RO'), (41, 'CH'), (43, 'AT'), (44, 'GB'), (45, 'DK'), (46, 'SE'), (47, 'NO'), (48, 'PL'), (49, 'DE'), (51, 'PE'), (52, 'MX'), (53, 'CU'), (54, 'AR'), (55, 'BR'), (56, 'CL'), (57, 'CO'), (58, 'VE'), (60, 'MY'), (61, 'AU'), (62, 'ID'), (63, 'PH'), (64, 'NZ'), (65, 'SG'), (66, 'TH'), (81, 'JP'), (82, 'KR'), (84, 'VN'), (86, 'CN'), (90, 'TR'), (91, 'IN'), (92, 'PK'), (93, 'AF'), (94, 'LK'), (95, 'MM'), (98, 'IR'))
  as c (country_code, country)
where s.country_code = c.country_code;
-- Codes that no country has were never written.
delete from carrier_sightings where country is null;
alter table carrier_sightings
  drop column country_code,
  alter column country set not null,
  add check (country ~ '^([A-Z]{2}|003)$'),
  add primary key (client_id, country, carrier_name);
