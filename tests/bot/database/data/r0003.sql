BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0003');
CREATE TABLE attempts (
	day TEXT NOT NULL, 
	player_id INTEGER NOT NULL, 
	state TEXT NOT NULL, 
	opened REAL NOT NULL, 
	closed REAL, 
	wrong INTEGER DEFAULT 0 NOT NULL, 
	expression TEXT, shown REAL, 
	PRIMARY KEY (day, player_id)
)
 STRICT

;
INSERT INTO "attempts" VALUES('2026-11-21',5000000001,'open',1795262425.0,NULL,1,NULL,1795262425.0);
CREATE TABLE awards (
	id INTEGER NOT NULL, 
	round_id INTEGER NOT NULL, 
	idea TEXT NOT NULL, 
	chat_id INTEGER NOT NULL, 
	player_id INTEGER NOT NULL, 
	points INTEGER NOT NULL, 
	seconds REAL NOT NULL, 
	level TEXT NOT NULL, 
	expected REAL NOT NULL, 
	expression TEXT NOT NULL, 
	message_id INTEGER NOT NULL, 
	at REAL NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (round_id, idea)
)
 STRICT

;
INSERT INTO "awards" VALUES(1,1,'',-1001000000004,5000000002,2,9.0,'easy',5.89677332169459944566e+00,'1*2*3*4',4,1795262409.0);
INSERT INTO "awards" VALUES(2,3,'1*2*(4+8)',-1001000000005,5000000003,2,7.0,'easy',5.81993195015394260138e+00,'1*2*(4+8)',4,1795262421.0);
INSERT INTO "awards" VALUES(3,4,'',-1001000000007,5000000002,2,4.0,'easy',5.12406546795930317728e+00,'1*8*(1+2)',4,1795262425.0);
CREATE TABLE chats (
	id INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	language TEXT, 
	settings TEXT DEFAULT '{}' NOT NULL, 
	patience REAL DEFAULT 2 NOT NULL, 
	counted_until REAL DEFAULT 0 NOT NULL, 
	counted INTEGER DEFAULT 0 NOT NULL, 
	gone INTEGER DEFAULT 0 NOT NULL, 
	PRIMARY KEY (id)
)
 STRICT

;
INSERT INTO "chats" VALUES(-1001000000007,'supergroup',NULL,'{}',2.25,0.0,0,0);
INSERT INTO "chats" VALUES(-1001000000006,'supergroup',NULL,'{}',2.0,0.0,0,0);
INSERT INTO "chats" VALUES(-1001000000005,'supergroup',NULL,'{}',2.25,0.0,0,0);
INSERT INTO "chats" VALUES(-1001000000004,'supergroup',NULL,'{}',1.5,0.0,0,0);
INSERT INTO "chats" VALUES(5000000001,'private',NULL,'{}',2.0,0.0,0,0);
INSERT INTO "chats" VALUES(5000000003,'private',NULL,'{}',2.0,0.0,0,0);
CREATE TABLE dailies (
	day TEXT NOT NULL, 
	numbers TEXT NOT NULL, 
	target INTEGER NOT NULL, 
	level TEXT NOT NULL, 
	expected REAL NOT NULL, 
	ideas TEXT NOT NULL, 
	PRIMARY KEY (day)
)
 STRICT

;
INSERT INTO "dailies" VALUES('2026-11-21','1 7 4 6',24,'hard',9.42039768072909211582e+00,'["6*(1+7-4)", "4/(7/6-1)"]');
CREATE TABLE daily_tables (
	day TEXT NOT NULL, 
	chat_id INTEGER NOT NULL, 
	message_id INTEGER NOT NULL, 
	language TEXT NOT NULL, 
	PRIMARY KEY (day, chat_id)
)
 STRICT

;
INSERT INTO "daily_tables" VALUES('2026-11-21',-1001000000006,3,'en');
CREATE TABLE giveaways (
	player_id INTEGER NOT NULL, 
	at REAL NOT NULL, 
	PRIMARY KEY (player_id, at)
)
 STRICT

;
CREATE TABLE histogram (
	chat_id INTEGER NOT NULL, 
	period TEXT NOT NULL, 
	points INTEGER NOT NULL, 
	players INTEGER NOT NULL, 
	PRIMARY KEY (chat_id, period, points)
)
 WITHOUT ROWID,
 STRICT

;
INSERT INTO "histogram" VALUES(-1001000000007,'2026-11',2,1);
INSERT INTO "histogram" VALUES(-1001000000007,'2026-11-21',2,1);
INSERT INTO "histogram" VALUES(-1001000000007,'2026-W47',2,1);
INSERT INTO "histogram" VALUES(-1001000000007,'all',2,1);
INSERT INTO "histogram" VALUES(-1001000000005,'2026-11',2,1);
INSERT INTO "histogram" VALUES(-1001000000005,'2026-11-21',2,1);
INSERT INTO "histogram" VALUES(-1001000000005,'2026-W47',2,1);
INSERT INTO "histogram" VALUES(-1001000000005,'all',2,1);
INSERT INTO "histogram" VALUES(-1001000000004,'2026-11',2,1);
INSERT INTO "histogram" VALUES(-1001000000004,'2026-11-21',2,1);
INSERT INTO "histogram" VALUES(-1001000000004,'2026-W47',2,1);
INSERT INTO "histogram" VALUES(-1001000000004,'all',2,1);
CREATE TABLE inbox (
	update_id INTEGER NOT NULL, 
	lane INTEGER NOT NULL, 
	body TEXT NOT NULL, 
	state TEXT NOT NULL, 
	tries INTEGER DEFAULT 0 NOT NULL, 
	trouble TEXT, 
	at REAL NOT NULL, 
	press TEXT, 
	PRIMARY KEY (update_id)
)
 STRICT

;
INSERT INTO "inbox" VALUES(470995110,0,'','done',0,NULL,1795262400.0,NULL);
INSERT INTO "inbox" VALUES(470995111,0,'','done',0,NULL,1795262409.0,NULL);
INSERT INTO "inbox" VALUES(470995112,0,'','done',0,NULL,1795262409.0,NULL);
INSERT INTO "inbox" VALUES(470995113,0,'','done',0,NULL,1795262409.0,'0ee23c62a6195533406bc551a4cfb831');
INSERT INTO "inbox" VALUES(470995114,0,'','done',0,NULL,1795262414.0,NULL);
INSERT INTO "inbox" VALUES(470995115,0,'','done',0,NULL,1795262414.0,NULL);
INSERT INTO "inbox" VALUES(470995116,0,'','done',0,NULL,1795262421.0,NULL);
INSERT INTO "inbox" VALUES(470995117,0,'','done',0,NULL,1795262421.0,NULL);
INSERT INTO "inbox" VALUES(470995118,0,'','done',0,NULL,1795262425.0,NULL);
INSERT INTO "inbox" VALUES(470995119,0,'','done',0,NULL,1795262425.0,NULL);
INSERT INTO "inbox" VALUES(470995120,0,'','done',0,NULL,1795262428.0,NULL);
INSERT INTO "inbox" VALUES(470995121,0,'','done',0,NULL,1795262428.0,NULL);
INSERT INTO "inbox" VALUES(470995122,0,'','done',0,NULL,1795262428.0,NULL);
CREATE TABLE last_wins (
	chat_id INTEGER NOT NULL, 
	player_id INTEGER NOT NULL, 
	at REAL NOT NULL, 
	PRIMARY KEY (chat_id, player_id)
)
 STRICT

;
INSERT INTO "last_wins" VALUES(-1001000000004,5000000002,1795262409.0);
INSERT INTO "last_wins" VALUES(-1001000000005,5000000003,1795262421.0);
INSERT INTO "last_wins" VALUES(-1001000000007,5000000002,1795262425.0);
CREATE TABLE lost_messages (
	chat_id INTEGER NOT NULL, 
	message_id INTEGER NOT NULL, 
	round_id INTEGER NOT NULL, 
	PRIMARY KEY (chat_id, message_id)
)
 STRICT

;
CREATE TABLE meta (
	"key" TEXT NOT NULL, 
	value TEXT NOT NULL, 
	PRIMARY KEY ("key")
)
 STRICT

;
INSERT INTO "meta" VALUES('daily key','1eb11801f4405ddf49e605051bdd5d0b0e7a47cbc301b4f0282fe720197932b6');
CREATE TABLE outbox (
	id INTEGER NOT NULL, 
	lane INTEGER NOT NULL, 
	body TEXT NOT NULL, 
	state TEXT NOT NULL, 
	trouble TEXT, 
	at REAL NOT NULL, 
	PRIMARY KEY (id)
)
 STRICT

;
INSERT INTO "outbox" VALUES(1,-1001000000004,'','sent',NULL,1795262400.0);
INSERT INTO "outbox" VALUES(2,-1001000000004,'','sent',NULL,1795262409.0);
INSERT INTO "outbox" VALUES(4,-1001000000004,'','sent',NULL,1795262414.0);
INSERT INTO "outbox" VALUES(5,-1001000000005,'','sent',NULL,1795262414.0);
INSERT INTO "outbox" VALUES(6,-1001000000007,'','sent',NULL,1795262421.0);
INSERT INTO "outbox" VALUES(7,-1001000000006,'','sent',NULL,1795262428.0);
CREATE TABLE players (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	username TEXT, 
	masked INTEGER DEFAULT 1 NOT NULL, 
	PRIMARY KEY (id)
)
 STRICT

;
INSERT INTO "players" VALUES(5000000001,'Ann',NULL,1);
INSERT INTO "players" VALUES(5000000002,'Bob',NULL,1);
INSERT INTO "players" VALUES(5000000003,'Cem',NULL,1);
CREATE TABLE races (
	id INTEGER NOT NULL, 
	chat_id INTEGER NOT NULL, 
	topic INTEGER DEFAULT 0 NOT NULL, 
	starter_id INTEGER NOT NULL, 
	state TEXT NOT NULL, 
	length INTEGER NOT NULL, 
	played INTEGER DEFAULT 0 NOT NULL, 
	unanswered INTEGER DEFAULT 0 NOT NULL, 
	hands TEXT NOT NULL, 
	seconds REAL NOT NULL, 
	opened REAL NOT NULL, 
	PRIMARY KEY (id)
)
 STRICT

;
INSERT INTO "races" VALUES(1,-1001000000007,0,5000000001,'open',3,1,0,'[{"numbers": [3, 8, 3, 8], "target": 24, "level": "fiendish", "expected": 67.91761929901838, "ideas": ["8/(3-8/3)"], "hints": ["[\"last\", \"/\"]", "[\"make\", \"8/3\", \"3 8\"]", "[\"shape\", \"\\u25a1/(\\u25a1-\\u25a1/\\u25a1)\"]"]}]',60.0,1795262421.0);
CREATE TABLE reveals (
	hand TEXT NOT NULL, 
	reader INTEGER NOT NULL, 
	at REAL NOT NULL, hints INTEGER DEFAULT 0 NOT NULL, 
	PRIMARY KEY (hand, reader, at)
)
 STRICT

;
INSERT INTO "reveals" VALUES('3 3 8 8 → 24',5000000003,1795262428.0,0);
CREATE TABLE rounds (
	id INTEGER NOT NULL, 
	chat_id INTEGER NOT NULL, 
	topic INTEGER DEFAULT 0 NOT NULL, 
	kind TEXT NOT NULL, 
	numbers TEXT NOT NULL, 
	target INTEGER NOT NULL, 
	level TEXT NOT NULL, 
	expected REAL NOT NULL, 
	ideas TEXT NOT NULL, 
	hint_values TEXT DEFAULT '[]' NOT NULL, 
	state TEXT NOT NULL, 
	hints INTEGER DEFAULT 0 NOT NULL, 
	dealer_id INTEGER NOT NULL, 
	language TEXT DEFAULT 'en' NOT NULL, 
	race_id INTEGER, 
	message_id INTEGER, 
	asked_id INTEGER, 
	opened REAL NOT NULL, 
	deadline REAL, 
	closed REAL, 
	winner_id INTEGER, 
	expression TEXT, 
	streak INTEGER DEFAULT 0 NOT NULL, 
	day_first INTEGER DEFAULT 0 NOT NULL, 
	shown REAL DEFAULT 0 NOT NULL, 
	PRIMARY KEY (id)
)
 STRICT

;
INSERT INTO "rounds" VALUES(1,-1001000000004,0,'first','1 2 3 4',24,'easy',5.89677332169459944566e+00,'["1*2*3*4", "4*(1+2+3)", "(1+3)*(2+4)"]','["[\"last\", \"*\"]", "[\"make\", \"6\", \"1 2 3\"]", "[\"shape\", \"\\u25a1\\u25cb\\u25a1*\\u25a1*\\u25a1\"]"]','won',0,5000000001,'en',NULL,3,NULL,1795262400.0,1795263000.0,1795262409.0,5000000002,'1*2*3*4',1,1,1795262400.0);
INSERT INTO "rounds" VALUES(2,-1001000000004,0,'first','3 8 3 8',24,'fiendish',6.79176192990183835718e+01,'["8/(3-8/3)"]','["[\"last\", \"/\"]", "[\"make\", \"8/3\", \"3 8\"]", "[\"shape\", \"\\u25a1/(\\u25a1-\\u25a1/\\u25a1)\"]"]','open',1,5000000001,'en',NULL,6,NULL,1795262409.0,1795263009.0,NULL,NULL,NULL,0,0,1795262409.0);
INSERT INTO "rounds" VALUES(3,-1001000000005,0,'all','4 8 2 1',24,'easy',5.81993195015394260138e+00,'["1*2*(4+8)", "8*(1+4-2)", "1*4*(8-2)", "8*(1+4/2)"]','["[\"last\", \"*\"]", "[\"make\", \"6\", \"2 8\"]", "[\"shape\", \"\\u25a1*\\u25a1*(\\u25a1-\\u25a1)\"]"]','open',0,5000000001,'en',NULL,3,NULL,1795262414.0,1795263014.0,NULL,NULL,NULL,0,0,1795262414.0);
INSERT INTO "rounds" VALUES(4,-1001000000007,0,'first','1 1 2 8',24,'easy',5.12406546795930317728e+00,'["1*8*(1+2)"]','["[\"last\", \"*\"]", "[\"make\", \"3\", \"1 2\"]", "[\"shape\", \"\\u25a1*\\u25a1*(\\u25a1+\\u25a1)\"]"]','won',0,5000000001,'en',1,3,NULL,1795262421.0,1795262481.0,1795262425.0,5000000002,'1*8*(1+2)',1,1,1795262421.0);
INSERT INTO "rounds" VALUES(5,-1001000000007,0,'first','2 2 6 6',24,'medium',7.48965947376104246302e+00,'["2*6+2*6", "6*(2+6)/2"]','["[\"last\", \"+\"]", "[\"make\", \"12\", \"2 6\"]", "[\"shape\", \"\\u25a1*\\u25a1+\\u25a1*\\u25a1\"]"]','open',0,5000000001,'en',1,3,NULL,1795262425.0,1795262485.0,NULL,NULL,NULL,0,0,1795262425.0);
CREATE TABLE seats (
	day TEXT NOT NULL, 
	chat_id INTEGER NOT NULL, 
	player_id INTEGER NOT NULL, 
	PRIMARY KEY (day, chat_id, player_id)
)
 STRICT

;
CREATE TABLE totals (
	chat_id INTEGER NOT NULL, 
	period TEXT NOT NULL, 
	player_id INTEGER NOT NULL, 
	points INTEGER NOT NULL, 
	wins INTEGER NOT NULL, 
	PRIMARY KEY (chat_id, period, player_id)
)
 STRICT

;
INSERT INTO "totals" VALUES(-1001000000004,'all',5000000002,2,1);
INSERT INTO "totals" VALUES(-1001000000004,'2026-11',5000000002,2,1);
INSERT INTO "totals" VALUES(-1001000000004,'2026-W47',5000000002,2,1);
INSERT INTO "totals" VALUES(-1001000000004,'2026-11-21',5000000002,2,1);
INSERT INTO "totals" VALUES(-1001000000005,'all',5000000003,2,1);
INSERT INTO "totals" VALUES(-1001000000005,'2026-11',5000000003,2,1);
INSERT INTO "totals" VALUES(-1001000000005,'2026-W47',5000000003,2,1);
INSERT INTO "totals" VALUES(-1001000000005,'2026-11-21',5000000003,2,1);
INSERT INTO "totals" VALUES(-1001000000007,'all',5000000002,2,1);
INSERT INTO "totals" VALUES(-1001000000007,'2026-11',5000000002,2,1);
INSERT INTO "totals" VALUES(-1001000000007,'2026-W47',5000000002,2,1);
INSERT INTO "totals" VALUES(-1001000000007,'2026-11-21',5000000002,2,1);
CREATE TABLE tries (
	round_id INTEGER NOT NULL, 
	player_id INTEGER NOT NULL, 
	wrong INTEGER NOT NULL, 
	late INTEGER DEFAULT 0 NOT NULL, 
	note TEXT DEFAULT '' NOT NULL, 
	miss TEXT, 
	miss_value TEXT, 
	miss_off REAL, noted INTEGER DEFAULT 0 NOT NULL, 
	PRIMARY KEY (round_id, player_id), 
	FOREIGN KEY(round_id) REFERENCES rounds (id) ON DELETE CASCADE
)
 STRICT

;
INSERT INTO "tries" VALUES(2,5000000002,1,0,'','8*3-8/3','64/3',2.66666666666666651863e+00,0);
CREATE TABLE votes (
	round_id INTEGER NOT NULL, 
	player_id INTEGER NOT NULL, 
	PRIMARY KEY (round_id, player_id), 
	FOREIGN KEY(round_id) REFERENCES rounds (id) ON DELETE CASCADE
)
 STRICT

;
CREATE INDEX round_of_winner ON rounds (chat_id, winner_id, streak);
CREATE UNIQUE INDEX live_round ON rounds (chat_id, topic) WHERE state = 'open';
CREATE INDEX round_of_dealer ON rounds (dealer_id);
CREATE INDEX round_deadline ON rounds (state, deadline);
CREATE INDEX round_message ON rounds (chat_id, message_id);
CREATE INDEX round_of_race ON rounds (race_id);
CREATE INDEX round_of_chat ON rounds (chat_id, id);
CREATE INDEX award_of_player ON awards (player_id, chat_id);
CREATE INDEX award_of_chat ON awards (chat_id, at);
CREATE INDEX board ON totals (chat_id, period, points DESC, player_id);
CREATE INDEX inbox_state ON inbox (state, at);
CREATE INDEX inbox_press ON inbox (press);
CREATE INDEX outbox_state ON outbox (state, id);
CREATE INDEX last_win_in_chat ON last_wins (chat_id, at);
CREATE INDEX attempt_of_player ON attempts (player_id, day);
CREATE INDEX seat_of_player ON seats (player_id, day);
CREATE INDEX race_of_chat ON races (chat_id);
CREATE INDEX reveal_at ON reveals (at);
CREATE INDEX try_of_player ON tries (player_id, round_id);
CREATE INDEX vote_of_player ON votes (player_id);
CREATE INDEX lost_message_of_round ON lost_messages (round_id);
CREATE INDEX player_of_username ON players (lower(username));
COMMIT;