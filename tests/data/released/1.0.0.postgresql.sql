SELECT pg_catalog.set_config('search_path', '', false);
CREATE TABLE public.achievements (
    player_id bigint NOT NULL,
    name text NOT NULL,
    at double precision NOT NULL,
    round_id bigint,
    day text,
    chat_id bigint
);
CREATE TABLE public.alembic_version (
    version_num character varying(32) NOT NULL
);
CREATE TABLE public.attempts (
    day text NOT NULL,
    player_id bigint NOT NULL,
    state text NOT NULL,
    opened double precision NOT NULL,
    closed double precision,
    wrong integer DEFAULT 0 NOT NULL,
    expression text,
    shown double precision,
    hints integer DEFAULT 0 NOT NULL,
    message_id bigint,
    picture text
);
CREATE TABLE public.awards (
    id bigint NOT NULL,
    round_id bigint NOT NULL,
    idea text NOT NULL,
    chat_id bigint NOT NULL,
    player_id bigint NOT NULL,
    points integer NOT NULL,
    seconds double precision NOT NULL,
    level text NOT NULL,
    expected double precision NOT NULL,
    expression text NOT NULL,
    message_id bigint NOT NULL,
    at double precision NOT NULL,
    game text NOT NULL,
    kind text NOT NULL
);
CREATE SEQUENCE public.awards_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.awards_id_seq OWNED BY public.awards.id;
CREATE TABLE public.best_days (
    chat_id bigint NOT NULL,
    player_id bigint NOT NULL,
    game text NOT NULL,
    points bigint NOT NULL,
    day text NOT NULL,
    last_points bigint NOT NULL,
    last_day text NOT NULL
);
CREATE TABLE public.board_offline (
    day text NOT NULL,
    player_id bigint NOT NULL,
    answer text NOT NULL,
    claimed double precision NOT NULL,
    received double precision NOT NULL
);
CREATE TABLE public.board_openings (
    digest text NOT NULL,
    at double precision NOT NULL,
    page text
);
CREATE TABLE public.board_words (
    id bigint NOT NULL,
    player_id bigint NOT NULL,
    press text NOT NULL,
    text text NOT NULL,
    is_right integer,
    at double precision NOT NULL
);
CREATE SEQUENCE public.board_words_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.board_words_id_seq OWNED BY public.board_words.id;
CREATE TABLE public.chains (
    id bigint NOT NULL,
    chat_id bigint NOT NULL,
    seed_chat_id bigint NOT NULL,
    game text NOT NULL,
    secret text NOT NULL,
    used integer DEFAULT 0 NOT NULL
);
CREATE SEQUENCE public.chains_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.chains_id_seq OWNED BY public.chains.id;
CREATE TABLE public.chats (
    id bigint NOT NULL,
    kind text NOT NULL,
    language text,
    settings text DEFAULT '{}'::text NOT NULL,
    patience double precision DEFAULT 2 NOT NULL,
    counted_until double precision DEFAULT 0 NOT NULL,
    counted integer DEFAULT 0 NOT NULL,
    gone integer DEFAULT 0 NOT NULL
);
CREATE TABLE public.class_hands (
    round_id bigint NOT NULL,
    lesson_id bigint NOT NULL,
    pupil_id bigint NOT NULL,
    number integer NOT NULL
);
CREATE TABLE public.classes (
    id bigint NOT NULL,
    code text NOT NULL,
    teacher_id bigint,
    opened double precision NOT NULL,
    active double precision NOT NULL,
    closed double precision,
    locked integer DEFAULT 0 NOT NULL,
    kept integer DEFAULT 0 NOT NULL
);
CREATE TABLE public.dailies (
    day text NOT NULL,
    level text NOT NULL,
    expected double precision NOT NULL,
    game text DEFAULT '24'::text NOT NULL,
    puzzle text DEFAULT '{}'::text NOT NULL
);
CREATE TABLE public.daily_tables (
    day text NOT NULL,
    chat_id bigint NOT NULL,
    message_id bigint NOT NULL,
    language text NOT NULL
);
CREATE TABLE public.duels (
    id bigint NOT NULL,
    chat_id bigint NOT NULL,
    topic bigint DEFAULT 0 NOT NULL,
    challenger_id bigint NOT NULL,
    opponent_id bigint,
    opponent text DEFAULT ''::text NOT NULL,
    state text NOT NULL,
    language text DEFAULT 'en'::text NOT NULL,
    game text NOT NULL,
    options text DEFAULT '{}'::text NOT NULL,
    message_id bigint,
    until double precision NOT NULL,
    race_id bigint,
    winner_id bigint,
    picture text
);
CREATE SEQUENCE public.duels_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.duels_id_seq OWNED BY public.duels.id;
CREATE TABLE public.entries (
    round_id bigint NOT NULL,
    player_id bigint NOT NULL,
    answer text NOT NULL,
    at double precision NOT NULL,
    heard integer DEFAULT 0 NOT NULL
);
CREATE TABLE public.ephemeral_chats (
    chat_id bigint NOT NULL,
    server text NOT NULL
);
CREATE TABLE public.histogram (
    chat_id bigint NOT NULL,
    period text NOT NULL,
    points bigint NOT NULL,
    players bigint NOT NULL
)
WITH (fillfactor='70');
CREATE TABLE public.inbox (
    update_id bigint NOT NULL,
    lane bigint NOT NULL,
    body text NOT NULL,
    state text NOT NULL,
    tries integer DEFAULT 0 NOT NULL,
    trouble text,
    at double precision NOT NULL,
    press text
)
WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='500', autovacuum_vacuum_cost_delay='0');
CREATE TABLE public.lanes (
    lane bigint NOT NULL,
    owner text NOT NULL,
    token bigint NOT NULL
)
WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='500', autovacuum_vacuum_cost_delay='0');
CREATE TABLE public.last_wins (
    chat_id bigint NOT NULL,
    player_id bigint NOT NULL,
    at double precision NOT NULL
);
CREATE TABLE public.lessons (
    id bigint NOT NULL,
    class_id bigint NOT NULL,
    game text NOT NULL,
    pace text NOT NULL,
    hands text NOT NULL,
    length integer NOT NULL,
    seconds double precision,
    due double precision,
    opened double precision NOT NULL,
    closed double precision,
    number integer DEFAULT 1 NOT NULL,
    shown integer DEFAULT 0 NOT NULL
);
CREATE SEQUENCE public.lessons_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.lessons_id_seq OWNED BY public.lessons.id;
CREATE TABLE public.lost_messages (
    chat_id bigint NOT NULL,
    message_id bigint NOT NULL,
    round_id bigint NOT NULL
);
CREATE TABLE public.meta (
    key text NOT NULL,
    value text NOT NULL
);
CREATE TABLE public.mistakes (
    id bigint NOT NULL,
    round_id bigint NOT NULL,
    answer text NOT NULL,
    kind text NOT NULL,
    at double precision NOT NULL
);
CREATE SEQUENCE public.mistakes_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.mistakes_id_seq OWNED BY public.mistakes.id;
CREATE TABLE public.outbox (
    id bigint NOT NULL,
    lane bigint NOT NULL,
    body text NOT NULL,
    state text NOT NULL,
    trouble text,
    at double precision NOT NULL
)
WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='500', autovacuum_vacuum_cost_delay='0');
CREATE SEQUENCE public.outbox_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.outbox_id_seq OWNED BY public.outbox.id;
CREATE TABLE public.players (
    id bigint NOT NULL,
    name text NOT NULL,
    username text,
    masked integer DEFAULT 1 NOT NULL
);
CREATE TABLE public.practised (
    round_id bigint NOT NULL,
    player_id bigint NOT NULL,
    skill text NOT NULL,
    level text NOT NULL,
    at double precision NOT NULL,
    seconds double precision,
    expected double precision NOT NULL,
    wrong integer NOT NULL,
    hints integer NOT NULL
);
CREATE TABLE public.private_words (
    chat_id bigint NOT NULL,
    player_id bigint NOT NULL,
    key text NOT NULL,
    waiting text,
    at double precision NOT NULL
);
CREATE TABLE public.pupils (
    id bigint NOT NULL,
    class_id bigint NOT NULL,
    name text NOT NULL,
    name_key text NOT NULL,
    place integer NOT NULL,
    joined integer DEFAULT 0 NOT NULL,
    taken integer DEFAULT 0 NOT NULL,
    device text DEFAULT ''::text NOT NULL
);
CREATE TABLE public.races (
    id bigint NOT NULL,
    chat_id bigint NOT NULL,
    topic bigint DEFAULT 0 NOT NULL,
    starter_id bigint NOT NULL,
    state text NOT NULL,
    length integer NOT NULL,
    played integer DEFAULT 0 NOT NULL,
    unanswered integer DEFAULT 0 NOT NULL,
    hands text NOT NULL,
    seconds double precision NOT NULL,
    opened double precision NOT NULL
);
CREATE SEQUENCE public.races_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.races_id_seq OWNED BY public.races.id;
CREATE TABLE public.ratings (
    player_id bigint NOT NULL,
    mu double precision NOT NULL,
    sigma double precision NOT NULL,
    hands integer NOT NULL,
    at double precision NOT NULL
);
CREATE TABLE public.replicas (
    name text NOT NULL,
    bot_id bigint NOT NULL,
    until double precision NOT NULL,
    tag text NOT NULL,
    lanes bigint NOT NULL,
    pulse double precision NOT NULL,
    way_in text,
    secrets text,
    told text,
    reaches double precision
)
WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='500', autovacuum_vacuum_cost_delay='0');
CREATE TABLE public.reveals (
    reader bigint NOT NULL,
    at double precision NOT NULL,
    numbers text NOT NULL
);
CREATE TABLE public.rounds (
    id bigint NOT NULL,
    chat_id bigint NOT NULL,
    topic bigint DEFAULT 0 NOT NULL,
    kind text NOT NULL,
    level text NOT NULL,
    expected double precision NOT NULL,
    state text NOT NULL,
    dealer_id bigint NOT NULL,
    language text DEFAULT 'en'::text NOT NULL,
    race_id bigint,
    message_id bigint,
    asked_id bigint,
    opened double precision NOT NULL,
    deadline double precision,
    closed double precision,
    winner_id bigint,
    expression text,
    streak integer DEFAULT 0 NOT NULL,
    day_first integer DEFAULT 0 NOT NULL,
    shown double precision DEFAULT 0 NOT NULL,
    game text DEFAULT '24'::text NOT NULL,
    puzzle text DEFAULT '{}'::text NOT NULL,
    line text DEFAULT ''::text NOT NULL,
    standing text DEFAULT '{}'::text NOT NULL,
    options text DEFAULT '{}'::text NOT NULL,
    picture text,
    chain_id bigint,
    link integer,
    asked_by bigint,
    ordinal integer
);
CREATE SEQUENCE public.rounds_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.rounds_id_seq OWNED BY public.rounds.id;
CREATE TABLE public.run_hands (
    round_id bigint NOT NULL,
    run_id bigint NOT NULL,
    number integer NOT NULL
);
CREATE TABLE public.runs (
    id bigint NOT NULL,
    player_id bigint NOT NULL,
    mode text NOT NULL,
    group_id bigint,
    hands text NOT NULL,
    opened double precision NOT NULL,
    score integer DEFAULT 0 NOT NULL,
    in_a_row integer DEFAULT 0 NOT NULL
);
CREATE SEQUENCE public.runs_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.runs_id_seq OWNED BY public.runs.id;
CREATE TABLE public.scheduled_posts (
    chat_id bigint NOT NULL,
    what text NOT NULL,
    period text NOT NULL,
    at double precision NOT NULL,
    sent double precision
);
CREATE TABLE public.seats (
    day text NOT NULL,
    chat_id bigint NOT NULL,
    player_id bigint NOT NULL
);
CREATE TABLE public.secret_doors (
    player_id bigint NOT NULL,
    round_id bigint NOT NULL,
    at double precision NOT NULL
);
CREATE TABLE public.stops (
    race_id bigint NOT NULL,
    player_id bigint NOT NULL
);
CREATE TABLE public.tallies (
    chat_id bigint NOT NULL,
    player_id bigint NOT NULL,
    game text NOT NULL,
    rounds integer DEFAULT 0 NOT NULL,
    first_wins integer DEFAULT 0 NOT NULL,
    streak integer DEFAULT 0 NOT NULL,
    streak_at double precision DEFAULT 0 NOT NULL
);
CREATE TABLE public.totals (
    chat_id bigint NOT NULL,
    period text NOT NULL,
    player_id bigint NOT NULL,
    points bigint NOT NULL,
    wins bigint NOT NULL
);
CREATE TABLE public.tries (
    round_id bigint NOT NULL,
    player_id bigint NOT NULL,
    wrong integer NOT NULL,
    late integer DEFAULT 0 NOT NULL,
    note text DEFAULT ''::text NOT NULL,
    miss text,
    miss_value text,
    miss_off double precision,
    noted integer DEFAULT 0 NOT NULL,
    misread integer DEFAULT 0 NOT NULL
);
CREATE TABLE public.uploads (
    content text NOT NULL,
    file_id text NOT NULL,
    until double precision NOT NULL
);
CREATE TABLE public.votes (
    round_id bigint NOT NULL,
    player_id bigint NOT NULL
);
CREATE TABLE public.wrong_answers (
    id bigint NOT NULL,
    player_id bigint NOT NULL,
    hand text NOT NULL,
    answer text NOT NULL,
    at double precision NOT NULL
);
CREATE SEQUENCE public.wrong_answers_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.wrong_answers_id_seq OWNED BY public.wrong_answers.id;
ALTER TABLE ONLY public.awards ALTER COLUMN id SET DEFAULT nextval('public.awards_id_seq'::regclass);
ALTER TABLE ONLY public.board_words ALTER COLUMN id SET DEFAULT nextval('public.board_words_id_seq'::regclass);
ALTER TABLE ONLY public.chains ALTER COLUMN id SET DEFAULT nextval('public.chains_id_seq'::regclass);
ALTER TABLE ONLY public.duels ALTER COLUMN id SET DEFAULT nextval('public.duels_id_seq'::regclass);
ALTER TABLE ONLY public.lessons ALTER COLUMN id SET DEFAULT nextval('public.lessons_id_seq'::regclass);
ALTER TABLE ONLY public.mistakes ALTER COLUMN id SET DEFAULT nextval('public.mistakes_id_seq'::regclass);
ALTER TABLE ONLY public.outbox ALTER COLUMN id SET DEFAULT nextval('public.outbox_id_seq'::regclass);
ALTER TABLE ONLY public.races ALTER COLUMN id SET DEFAULT nextval('public.races_id_seq'::regclass);
ALTER TABLE ONLY public.rounds ALTER COLUMN id SET DEFAULT nextval('public.rounds_id_seq'::regclass);
ALTER TABLE ONLY public.runs ALTER COLUMN id SET DEFAULT nextval('public.runs_id_seq'::regclass);
ALTER TABLE ONLY public.wrong_answers ALTER COLUMN id SET DEFAULT nextval('public.wrong_answers_id_seq'::regclass);
INSERT INTO public.achievements VALUES (5000000002, 'lightning', 1795262400, 1, NULL, -1001000000007);
INSERT INTO public.achievements VALUES (5000000001, 'fiendish', 1795262409, 2, NULL, -1001000000005);
INSERT INTO public.achievements VALUES (5000000003, 'fiendish', 1795262418, 3, NULL, -1001000000005);
INSERT INTO public.achievements VALUES (5000000002, 'fiendish', 1795262442, 7, NULL, -1001000000005);
INSERT INTO public.achievements VALUES (5000000001, 'lightning', 1795262442, NULL, '2026-11-21', NULL);
INSERT INTO public.alembic_version VALUES ('0102');
INSERT INTO public.attempts VALUES ('2026-11-21', 5000000001, 'solved', 1795262442, 1795262442, 1, '2*13-8/4', 1795262442, 0, 10, NULL);
INSERT INTO public.awards VALUES (1, 1, '', -1001000000007, 5000000002, 2, 0, 'easy', 5.124065467959303, '1*8*(1+2)', 7, 1795262400, '24', 'first');
INSERT INTO public.awards VALUES (2, 2, '', -1001000000005, 5000000001, 6, 9, 'fiendish', 42.41873761040959, '5*(5-1/5)', 5, 1795262409, '24', 'first');
INSERT INTO public.awards VALUES (3, 3, '', -1001000000005, 5000000003, 5, 9, 'fiendish', 54.581559814313344, '6/(1-3/4)', 9, 1795262418, '24', 'first');
INSERT INTO public.awards VALUES (4, 4, '', -1001000000005, 5000000001, 1, 9, 'easy', 7.4896594737610425, '2*6+2*6', 13, 1795262427, '24', 'first');
INSERT INTO public.awards VALUES (5, 5, '', -1001000000005, 5000000002, 1, 5, 'easy', 5.124065467959303, '1*8*(1+2)', 16, 1795262432, '24', 'first');
INSERT INTO public.awards VALUES (6, 6, '', -1001000000005, 5000000002, 1, 5, 'easy', 7.4896594737610425, '2*6+2*6', 17, 1795262437, '24', 'first');
INSERT INTO public.awards VALUES (7, 7, '', -1001000000005, 5000000002, 5, 5, 'fiendish', 67.91761929901838, '8/(3-8/3)', 18, 1795262442, '24', 'first');
INSERT INTO public.awards VALUES (8, 17, '', -1001000000007, 5000000002, 1, 3, 'easy', 5.124065467959303, '1*8*(1+2)', 4, 1795262656, '24', 'first');
INSERT INTO public.best_days VALUES (-1001000000005, 5000000003, '24', 5, '2026-11-21', 5, '2026-11-21');
INSERT INTO public.best_days VALUES (-1001000000005, 5000000001, '24', 7, '2026-11-21', 7, '2026-11-21');
INSERT INTO public.best_days VALUES (-1001000000005, 5000000002, '24', 7, '2026-11-21', 7, '2026-11-21');
INSERT INTO public.best_days VALUES (-1001000000007, 5000000002, '24', 3, '2026-11-21', 3, '2026-11-21');
INSERT INTO public.board_words VALUES (1, 5381325893874244, 'v0REEMFoN7HV25pMtjtaPg', '', 1, 1795262653);
INSERT INTO public.board_words VALUES (2, 5327515061893559, 'XW75nhHCwc8oPH-5qw1S7Q', '8×3 = 24, but the other 3, 8 are missing.', 0, 1795262653);
INSERT INTO public.chains VALUES (1, -1001000000007, -4000000006, '24', 'fc37813b52474e1ab53d71317796118cc132eb5153b749fec9cec6c364d36cc6', 0);
INSERT INTO public.chains VALUES (2, -1001000000005, -1001000000005, '24', 'e456c4a102838000be61c2199c3ffd13689d6da340ff7e414e928748816020ea', 0);
INSERT INTO public.chains VALUES (3, 0, 0, '24', 'd4bcb99b70668030c0751ce4187b434dc701a23f15f289b38e832ab28bc85481', 0);
INSERT INTO public.chains VALUES (4, 5000000002, 5000000002, '24', '90c363e5987892834cc8fddbddeb328a907c4a6a96681368bdb9dc78da958e50', 1);
INSERT INTO public.chats VALUES (5000000001, 'private', NULL, '{}', 2, 0, 0, 0);
INSERT INTO public.chats VALUES (5000000002, 'private', NULL, '{}', 2.25, 0, 0, 0);
INSERT INTO public.chats VALUES (-1001000000005, 'supergroup', 'zh_Hans', '{"language": "es"}', 3.5, 1797854418, 1, 0);
INSERT INTO public.chats VALUES (-1001000000007, 'supergroup', NULL, '{}', 2.5, -1, 0, 0);
INSERT INTO public.class_hands VALUES (14, 1, 5381325893874244, 1);
INSERT INTO public.class_hands VALUES (15, 1, 5327515061893559, 1);
INSERT INTO public.classes VALUES (1016417953931913, 'EABERJ', 5000000001, 1795262648, 1795262648, NULL, 0, 0);
INSERT INTO public.dailies VALUES ('2026-11-21', 'hard', 17.443349973188724, '24', '{"v": 1, "numbers": [4, 2, 13, 8], "target": 24, "ideas": ["2*13-8/4", "8*13/4-2"], "hints": ["[\"last\", \"-\"]", "[\"make\", \"26\", \"2 13\"]", "[\"shape\", \"\\u25a1*\\u25a1-\\u25a1/\\u25a1\"]"], "recipe": "24:4:13:24:h"}');
INSERT INTO public.daily_tables VALUES ('2026-11-21', -1001000000005, 25, 'zh_Hans');
INSERT INTO public.duels VALUES (1, -1001000000005, 0, 5000000001, 5000000002, '', 'won', 'zh_Hans', '24', '{}', 15, 1795262727, 1, 5000000002, NULL);
INSERT INTO public.histogram VALUES (-1001000000005, '24 all', 5, 1);
INSERT INTO public.histogram VALUES (0, '24 all', 5, 1);
INSERT INTO public.histogram VALUES (0, '24 2026-11-21', 5, 1);
INSERT INTO public.histogram VALUES (0, '24 2026-W47', 5, 1);
INSERT INTO public.histogram VALUES (0, '24 2026-11', 5, 1);
INSERT INTO public.histogram VALUES (-1001000000005, '24 all', 7, 2);
INSERT INTO public.histogram VALUES (0, '24 all', 7, 2);
INSERT INTO public.histogram VALUES (0, '24 2026-11', 7, 2);
INSERT INTO public.histogram VALUES (0, '24 2026-W47', 7, 2);
INSERT INTO public.histogram VALUES (0, '24 2026-11-21', 7, 2);
INSERT INTO public.histogram VALUES (-1001000000007, '24 all', 3, 1);
INSERT INTO public.inbox VALUES (864872458, 0, '', 'done', 0, NULL, 1795923757.503378, NULL);
INSERT INTO public.inbox VALUES (864872459, 0, '', 'done', 0, NULL, 1795923758.003802, NULL);
INSERT INTO public.inbox VALUES (864872460, 0, '', 'done', 0, NULL, 1795923758.891404, NULL);
INSERT INTO public.inbox VALUES (864872461, 0, '', 'done', 0, NULL, 1795923759.595292, NULL);
INSERT INTO public.inbox VALUES (864872462, 0, '', 'done', 0, NULL, 1795923759.902792, NULL);
INSERT INTO public.inbox VALUES (864872463, 0, '', 'done', 0, NULL, 1795923760.171322, NULL);
INSERT INTO public.inbox VALUES (864872464, 0, '', 'done', 0, NULL, 1795923760.625878, NULL);
INSERT INTO public.inbox VALUES (864872465, 0, '', 'done', 0, NULL, 1795923761.180979, NULL);
INSERT INTO public.inbox VALUES (864872466, 0, '', 'done', 0, NULL, 1795923761.382498, NULL);
INSERT INTO public.inbox VALUES (864872467, 0, '', 'done', 0, NULL, 1795923761.711158, NULL);
INSERT INTO public.inbox VALUES (864872468, 0, '', 'done', 0, NULL, 1795923762.261365, NULL);
INSERT INTO public.inbox VALUES (864872469, 0, '', 'done', 0, NULL, 1795923762.463862, NULL);
INSERT INTO public.inbox VALUES (864872470, 0, '', 'done', 0, NULL, 1795923762.686484, NULL);
INSERT INTO public.inbox VALUES (864872471, 0, '', 'done', 0, NULL, 1795923763.046584, NULL);
INSERT INTO public.inbox VALUES (864872472, 0, '', 'done', 0, NULL, 1795923763.490023, '1c8d8f9b4c25600113b83bdf7ba347f5');
INSERT INTO public.inbox VALUES (864872473, 0, '', 'done', 0, NULL, 1795923763.886577, NULL);
INSERT INTO public.inbox VALUES (864872496, -1001000000005, '{"update_id": 864872496, "message": {"message_id": 29, "date": 1795262656, "chat": {"id": -1001000000005, "type": "supergroup", "title": "Familie \u00dcnal \ud83d\udc6a"}, "from": {"id": 5000000003, "is_bot": false, "first_name": "\u674e\u6885", "language_code": "zh-hans"}, "text": "/stats@TwentyFourTestBot", "entities": [{"type": "bot_command", "offset": 0, "length": 24}]}}', 'waiting', 0, NULL, 1795262656, NULL);
INSERT INTO public.inbox VALUES (864872474, 0, '', 'done', 0, NULL, 1795923764.429179, NULL);
INSERT INTO public.inbox VALUES (864872475, 0, '', 'done', 0, NULL, 1795923764.851276, NULL);
INSERT INTO public.inbox VALUES (864872476, 0, '', 'done', 0, NULL, 1795923765.383122, NULL);
INSERT INTO public.inbox VALUES (864872477, 0, '', 'done', 0, NULL, 1795923765.602308, NULL);
INSERT INTO public.inbox VALUES (864872478, 0, '', 'done', 0, NULL, 1795923765.997136, NULL);
INSERT INTO public.inbox VALUES (864872479, 0, '', 'done', 0, NULL, 1795923766.115395, NULL);
INSERT INTO public.inbox VALUES (864872480, 0, '', 'done', 0, NULL, 1795923766.244633, NULL);
INSERT INTO public.inbox VALUES (864872481, 0, '', 'done', 0, NULL, 1795923766.676337, NULL);
INSERT INTO public.inbox VALUES (864872482, 0, '', 'done', 0, NULL, 1795923767.062512, NULL);
INSERT INTO public.inbox VALUES (864872483, 0, '', 'done', 0, NULL, 1795923767.323954, NULL);
INSERT INTO public.inbox VALUES (864872484, 0, '', 'done', 0, NULL, 1795923771.073308, NULL);
INSERT INTO public.inbox VALUES (864872485, 0, '', 'done', 0, NULL, 1795923771.462624, NULL);
INSERT INTO public.inbox VALUES (864872486, 0, '', 'done', 0, NULL, 1795923771.954638, NULL);
INSERT INTO public.inbox VALUES (864872487, 0, '', 'done', 0, NULL, 1795923772.315469, NULL);
INSERT INTO public.inbox VALUES (864872488, 0, '', 'done', 0, NULL, 1795923774.259027, NULL);
INSERT INTO public.inbox VALUES (864872489, 0, '', 'done', 0, NULL, 1795923774.56694, NULL);
INSERT INTO public.inbox VALUES (864872490, 0, '', 'done', 0, NULL, 1795923775.000509, NULL);
INSERT INTO public.inbox VALUES (6949329866469805628, 0, '', 'done', 0, NULL, 1795923776.154001, NULL);
INSERT INTO public.inbox VALUES (6661486046495563538, 0, '', 'done', 0, NULL, 1795923776.584461, NULL);
INSERT INTO public.inbox VALUES (864872491, 0, '', 'done', 0, NULL, 1795923776.918526, NULL);
INSERT INTO public.inbox VALUES (864872492, 0, '', 'done', 0, NULL, 1795923777.091924, NULL);
INSERT INTO public.inbox VALUES (864872493, 0, '', 'done', 0, NULL, 1795923777.4066, NULL);
INSERT INTO public.inbox VALUES (864872494, 0, '', 'done', 0, NULL, 1795923777.639047, NULL);
INSERT INTO public.inbox VALUES (864872495, 0, '', 'done', 0, NULL, 1795923778.199899, NULL);
INSERT INTO public.lanes VALUES (-4611686018427387904, '', 3993543232757244064);
INSERT INTO public.lanes VALUES (-4000000006, '', 3872596868818305770);
INSERT INTO public.lanes VALUES (-1001000000007, '', 197354619426593525);
INSERT INTO public.lanes VALUES (-1001000000005, '', 2494753358634449184);
INSERT INTO public.lanes VALUES (5000000002, '', 123443856910089621);
INSERT INTO public.lanes VALUES (5000000001, '', 39581662080139123);
INSERT INTO public.lanes VALUES (5381325893874244, '', 4144936109349825951);
INSERT INTO public.lanes VALUES (5327515061893559, '', 2786619099998303479);
INSERT INTO public.lanes VALUES (5000000004, '', 1570424433484424828);
INSERT INTO public.last_wins VALUES (-1001000000005, 5000000003, 1795262418);
INSERT INTO public.last_wins VALUES (-1001000000005, 5000000001, 1795262427);
INSERT INTO public.last_wins VALUES (-1001000000005, 5000000002, 1795262442);
INSERT INTO public.last_wins VALUES (-1001000000007, 5000000002, 1795262656);
INSERT INTO public.lessons VALUES (1, 1016417953931913, '24', 'together', '[{"game": "24", "puzzle": "{\"v\": 1, \"numbers\": [3, 8, 3, 8], \"target\": 24, \"ideas\": [\"8/(3-8/3)\"], \"hints\": [\"[\\\"last\\\", \\\"/\\\"]\", \"[\\\"make\\\", \\\"8/3\\\", \\\"3 8\\\"]\", \"[\\\"shape\\\", \\\"\\\\u25a1/(\\\\u25a1-\\\\u25a1/\\\\u25a1)\\\"]\"], \"recipe\": \"\"}", "level": "fiendish", "expected": 67.91761929901838}, {"game": "24", "puzzle": "{\"v\": 1, \"numbers\": [1, 2, 3, 4], \"target\": 24, \"ideas\": [\"1*2*3*4\", \"4*(1+2+3)\", \"(1+3)*(2+4)\"], \"hints\": [\"[\\\"last\\\", \\\"*\\\"]\", \"[\\\"make\\\", \\\"6\\\", \\\"1 2 3\\\"]\", \"[\\\"shape\\\", \\\"\\\\u25a1\\\\u25cb\\\\u25a1*\\\\u25a1*\\\\u25a1\\\"]\"], \"recipe\": \"\"}", "level": "easy", "expected": 5.8967733216945994}]', 2, NULL, NULL, 1795262648, NULL, 1, 0);
INSERT INTO public.meta VALUES ('username', 'TwentyFourTestBot');
INSERT INTO public.meta VALUES ('alias key', '83b75cd3b7063c799e6d5fe9d3bfabf19395d3aa7da5e3d304e7253a71bb3103');
INSERT INTO public.mistakes VALUES (1, 15, '8*3', 'numbers', 1795262653);
INSERT INTO public.outbox VALUES (1, -4000000006, '6', 'sent', NULL, 1795923757.854484);
INSERT INTO public.outbox VALUES (4, -1001000000005, '3', 'sent', NULL, 1795923760.067191);
INSERT INTO public.outbox VALUES (9, -1001000000005, '7', 'sent', NULL, 1795923761.311315);
INSERT INTO public.outbox VALUES (14, -1001000000005, '11', 'sent', NULL, 1795923762.386194);
INSERT INTO public.outbox VALUES (19, -1001000000005, '15', 'sent', NULL, 1795923763.150441);
INSERT INTO public.outbox VALUES (28, -1001000000005, '20', 'sent', NULL, 1795923765.506363);
INSERT INTO public.outbox VALUES (32, -1001000000005, '25', 'sent', NULL, 1795923766.358366);
INSERT INTO public.outbox VALUES (52, -1001000000005, '27', 'sent', NULL, 1795923777.010883);
INSERT INTO public.outbox VALUES (55, -1001000000007, '3', 'sent', NULL, 1795923777.546629);
INSERT INTO public.outbox VALUES (58, 5000000004, '{"method": "sendMessage", "params": {"chat_id": 5000000004, "text": "<b>Двадцать четыре</b>: даю четыре числа.\nСделайте 24, каждое по разу: + − × ÷ ( )\n/help — что ещё я умею.\nВпервые здесь? Вот лёгкая раздача.", "parse_mode": "HTML", "link_preview_options": {"is_disabled": true}, "reply_markup": {"inline_keyboard": [[{"text": "🎓 Попробовать", "callback_data": "st:learn"}], [{"text": "Раздать", "callback_data": "st:deal"}, {"text": "Раздача дня", "callback_data": "st:daily"}], [{"text": "Добавить в группу", "url": "https://t.me/TwentyFourTestBot?startgroup=hello"}]]}}, "after": 25, "cause": "u864872495", "doubt": {"fate": "refused", "after": 25, "at": 1795262656.0, "over": false, "picture": "", "looked": 0}}', 'waiting', NULL, 1795262656);
INSERT INTO public.players VALUES (5000000001, 'Zoë-Ann', 'ann', 1);
INSERT INTO public.players VALUES (5000000002, 'Bob <b>&amp;</b>', NULL, 1);
INSERT INTO public.players VALUES (5000000003, '李梅', NULL, 1);
INSERT INTO public.players VALUES (5381325893874244, 'Łucja', NULL, 1);
INSERT INTO public.players VALUES (5327515061893559, 'Ян', NULL, 1);
INSERT INTO public.practised VALUES (13, 5000000002, 'large', 'medium', 1795262648, 0, 8.02306924101267, 0, 0);
INSERT INTO public.pupils VALUES (5381325893874244, 1016417953931913, 'Łucja', 'łucja', 1, 1, 1, 'AydniOf3xE1Dep7xwUT7VA');
INSERT INTO public.pupils VALUES (5327515061893559, 1016417953931913, 'Ян', 'ян', 2, 1, 1, '37DrSoMRwHIsx-uUH3c9kg');
INSERT INTO public.races VALUES (1, -1001000000005, 0, 5000000001, 'over', 5, 3, 0, '[{"game": "24", "puzzle": "{\"v\": 1, \"numbers\": [4, 5, 13, 9], \"target\": 24, \"ideas\": [\"13+4*5-9\", \"4+5*(13-9)\"], \"hints\": [\"[\\\"last\\\", \\\"-\\\"]\", \"[\\\"make\\\", \\\"20\\\", \\\"4 5\\\"]\", \"[\\\"shape\\\", \\\"\\\\u25a1+\\\\u25a1*\\\\u25a1-\\\\u25a1\\\"]\"], \"recipe\": \"24:4:13:24:82%\"}", "level": "medium", "expected": 12.388289678872734, "origin": {"chain_id": 2, "link": 1, "message_id": 15, "ordinal": 4}}, {"game": "24", "puzzle": "{\"v\": 1, \"numbers\": [1, 7, 12, 3], \"target\": 24, \"ideas\": [\"12*(7-1)/3\"], \"hints\": [\"[\\\"last\\\", \\\"/\\\"]\", \"[\\\"make\\\", \\\"6\\\", \\\"1 7\\\"]\", \"[\\\"shape\\\", \\\"\\\\u25a1*(\\\\u25a1-\\\\u25a1)/\\\\u25a1\\\"]\"], \"recipe\": \"24:4:13:24:82%\"}", "level": "medium", "expected": 11.521133135155782, "origin": {"chain_id": 2, "link": 1, "message_id": 15, "ordinal": 5}}, {"game": "24", "puzzle": "{\"v\": 1, \"numbers\": [3, 8, 2, 7], \"target\": 24, \"ideas\": [\"2*(7+8-3)\", \"8*(2+7)/3\", \"(7-3)*(8-2)\", \"8/(7/3-2)\"], \"hints\": [\"[\\\"last\\\", \\\"*\\\"]\", \"[\\\"make\\\", \\\"15\\\", \\\"7 8\\\"]\", \"[\\\"shape\\\", \\\"\\\\u25a1*(\\\\u25a1+\\\\u25a1-\\\\u25a1)\\\"]\"], \"recipe\": \"24:4:13:24:82%\"}", "level": "medium", "expected": 12.215899384077801, "origin": {"chain_id": 2, "link": 1, "message_id": 15, "ordinal": 6}}, {"game": "24", "puzzle": "{\"v\": 1, \"numbers\": [9, 7, 6, 1], \"target\": 24, \"ideas\": [\"(1+7)*(9-6)\"], \"hints\": [\"[\\\"last\\\", \\\"*\\\"]\", \"[\\\"make\\\", \\\"8\\\", \\\"1 7\\\"]\", \"[\\\"shape\\\", \\\"(\\\\u25a1+\\\\u25a1)*(\\\\u25a1-\\\\u25a1)\\\"]\"], \"recipe\": \"24:4:13:24:82%\"}", "level": "medium", "expected": 11.6067093197889, "origin": {"chain_id": 2, "link": 1, "message_id": 15, "ordinal": 7}}, {"game": "24", "puzzle": "{\"v\": 1, \"numbers\": [9, 12, 1, 5], \"target\": 24, \"ideas\": [\"12*(1+9)/5\", \"9*(5-1)-12\"], \"hints\": [\"[\\\"last\\\", \\\"/\\\"]\", \"[\\\"make\\\", \\\"10\\\", \\\"1 9\\\"]\", \"[\\\"shape\\\", \\\"\\\\u25a1*(\\\\u25a1+\\\\u25a1)/\\\\u25a1\\\"]\"], \"recipe\": \"24:4:13:24:82%\"}", "level": "hard", "expected": 14.425230684183987, "origin": {"chain_id": 2, "link": 1, "message_id": 15, "ordinal": 8}}, {"game": "24", "puzzle": "{\"v\": 1, \"numbers\": [5, 9, 2, 4], \"target\": 24, \"ideas\": [\"2*(5+9)-4\", \"4*(2+9-5)\", \"(2+4)*(9-5)\"], \"hints\": [\"[\\\"last\\\", \\\"*\\\"]\", \"[\\\"make\\\", \\\"11\\\", \\\"2 9\\\"]\", \"[\\\"shape\\\", \\\"\\\\u25a1*(\\\\u25a1+\\\\u25a1-\\\\u25a1)\\\"]\"], \"recipe\": \"24:4:13:24:82%\"}", "level": "medium", "expected": 11.330514955026665, "origin": {"chain_id": 2, "link": 1, "message_id": 15, "ordinal": 9}}, {"game": "24", "puzzle": "{\"v\": 1, \"numbers\": [4, 11, 4, 6], \"target\": 24, \"ideas\": [\"4+4*(11-6)\"], \"hints\": [\"[\\\"last\\\", \\\"+\\\"]\", \"[\\\"make\\\", \\\"5\\\", \\\"6 11\\\"]\", \"[\\\"shape\\\", \\\"\\\\u25a1+\\\\u25a1*(\\\\u25a1-\\\\u25a1)\\\"]\"], \"recipe\": \"24:4:13:24:82%\"}", "level": "medium", "expected": 11.593498184263417, "origin": {"chain_id": 2, "link": 1, "message_id": 15, "ordinal": 10}}]', 60, 1795262427);
INSERT INTO public.races VALUES (2, -1001000000007, 0, 5000000001, 'open', 3, 1, 0, '[{"game": "24", "puzzle": "{\"v\": 1, \"numbers\": [3, 8, 3, 8], \"target\": 24, \"ideas\": [\"8/(3-8/3)\"], \"hints\": [\"[\\\"last\\\", \\\"/\\\"]\", \"[\\\"make\\\", \\\"8/3\\\", \\\"3 8\\\"]\", \"[\\\"shape\\\", \\\"\\\\u25a1/(\\\\u25a1-\\\\u25a1/\\\\u25a1)\\\"]\"], \"recipe\": \"\"}", "level": "fiendish", "expected": 67.91761929901838, "origin": null}]', 60, 1795262653);
INSERT INTO public.ratings VALUES (5000000003, 28.910808918481504, 8.148445082453728, 1, 1795262418);
INSERT INTO public.ratings VALUES (5000000001, 33.63843611159904, 7.410654197396356, 3, 1795262442);
INSERT INTO public.ratings VALUES (5000000002, 24.39365509082136, 6.262415916335078, 8, 1795262656);
INSERT INTO public.reveals VALUES (-4197212086425815140, 1795262442, '2 3 5 12');
INSERT INTO public.reveals VALUES (-2381785302459568063, 1795262648, '1 4 10 11');
INSERT INTO public.rounds VALUES (8, -1001000000005, 0, 'first', 'fiendish', 117.30770090428409, 'skipped', 5000000002, 'zh_Hans', NULL, 20, NULL, 1795262442, 1795263042, 1795262442, NULL, NULL, 0, 0, 1795262442, '24', '{"v": 1, "numbers": [2, 3, 5, 12], "target": 24, "ideas": ["12/(3-5/2)"], "hints": ["[\"last\", \"/\"]", "[\"make\", \"5/2\", \"2 5\"]", "[\"shape\", \"\\u25a1/(\\u25a1-\\u25a1/\\u25a1)\"]"], "recipe": ""}', '2 3 5 12 → 24', '{"v": 1}', '{}', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.rounds VALUES (1, -1001000000007, 0, 'first', 'easy', 5.124065467959303, 'won', 5000000001, 'en', NULL, NULL, NULL, 1795262400, 1795263000, 1795262400, 5000000002, '1*8*(1+2)', 1, 1, 1795262400, '24', '{"v": 1, "numbers": [1, 1, 2, 8], "target": 24, "ideas": ["1*8*(1+2)"], "hints": ["[\"last\", \"*\"]", "[\"make\", \"3\", \"1 2\"]", "[\"shape\", \"\\u25a1*\\u25a1*(\\u25a1+\\u25a1)\"]"], "recipe": ""}', '1 1 2 8 → 24', '{"v": 1}', '{}', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.rounds VALUES (2, -1001000000005, 0, 'first', 'fiendish', 42.41873761040959, 'won', 5000000002, 'en', NULL, 3, NULL, 1795262400, 1795263000, 1795262409, 5000000001, '5*(5-1/5)', 1, 1, 1795262400, '24', '{"v": 1, "numbers": [1, 5, 5, 5], "target": 24, "ideas": ["5*(5-1/5)"], "hints": ["[\"last\", \"*\"]", "[\"make\", \"1/5\", \"1 5\"]", "[\"shape\", \"\\u25a1*(\\u25a1-\\u25a1/\\u25a1)\"]"], "recipe": ""}', '1 5 5 5 → 24', '{"v": 1}', '{}', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.rounds VALUES (5, -1001000000005, 0, 'first', 'easy', 5.124065467959303, 'won', 5000000001, 'zh_Hans', 1, 15, NULL, 1795262427, 1795262487, 1795262432, 5000000002, '1*8*(1+2)', 1, 0, 1795262427, '24', '{"v": 1, "numbers": [1, 1, 2, 8], "target": 24, "ideas": ["1*8*(1+2)"], "hints": ["[\"last\", \"*\"]", "[\"make\", \"3\", \"1 2\"]", "[\"shape\", \"\\u25a1*\\u25a1*(\\u25a1+\\u25a1)\"]"], "recipe": ""}', '1 1 2 8 → 24', '{"v": 1}', '{}', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.rounds VALUES (3, -1001000000005, 0, 'first', 'fiendish', 54.581559814313344, 'won', 5000000002, 'en', NULL, 7, NULL, 1795262409, 1795263009, 1795262418, 5000000003, '6/(1-3/4)', 1, 0, 1795262409, '24', '{"v": 1, "numbers": [1, 3, 4, 6], "target": 24, "ideas": ["6/(1-3/4)"], "hints": ["[\"last\", \"/\"]", "[\"make\", \"3/4\", \"3 4\"]", "[\"shape\", \"\\u25a1/(\\u25a1-\\u25a1/\\u25a1)\"]"], "recipe": ""}', '1 3 4 6 → 24', '{"v": 1}', '{}', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.rounds VALUES (4, -1001000000005, 0, 'first', 'easy', 7.4896594737610425, 'won', 5000000002, 'zh_Hans', NULL, 11, NULL, 1795262418, 1795263018, 1795262427, 5000000001, '2*6+2*6', 1, 0, 1795262418, '24', '{"v": 1, "numbers": [2, 2, 6, 6], "target": 24, "ideas": ["2*6+2*6", "6*(2+6)/2"], "hints": ["[\"last\", \"+\"]", "[\"make\", \"12\", \"2 6\"]", "[\"shape\", \"\\u25a1*\\u25a1+\\u25a1*\\u25a1\"]"], "recipe": ""}', '2 2 6 6 → 24', '{"v": 1}', '{}', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.rounds VALUES (6, -1001000000005, 0, 'first', 'easy', 7.4896594737610425, 'won', 5000000001, 'zh_Hans', 1, 15, NULL, 1795262432, 1795262492, 1795262437, 5000000002, '2*6+2*6', 2, 0, 1795262432, '24', '{"v": 1, "numbers": [2, 2, 6, 6], "target": 24, "ideas": ["2*6+2*6", "6*(2+6)/2"], "hints": ["[\"last\", \"+\"]", "[\"make\", \"12\", \"2 6\"]", "[\"shape\", \"\\u25a1*\\u25a1+\\u25a1*\\u25a1\"]"], "recipe": ""}', '2 2 6 6 → 24', '{"v": 1}', '{}', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.rounds VALUES (7, -1001000000005, 0, 'first', 'fiendish', 67.91761929901838, 'won', 5000000001, 'zh_Hans', 1, 15, NULL, 1795262437, 1795262497, 1795262442, 5000000002, '8/(3-8/3)', 3, 0, 1795262437, '24', '{"v": 1, "numbers": [3, 8, 3, 8], "target": 24, "ideas": ["8/(3-8/3)"], "hints": ["[\"last\", \"/\"]", "[\"make\", \"8/3\", \"3 8\"]", "[\"shape\", \"\\u25a1/(\\u25a1-\\u25a1/\\u25a1)\"]"], "recipe": ""}', '3 8 3 8 → 24', '{"v": 1}', '{}', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.rounds VALUES (10, 5000000002, 0, 'storm', 'easy', 5.471751072005336, 'won', 5000000002, 'en', NULL, 16, NULL, 1795262444, 1795262622, 1795262446, 5000000002, '12*(1+9-8)', 0, 0, 1795262444, '24', '{"v": 1, "numbers": [9, 8, 1, 12], "target": 24, "ideas": ["12*(1+9-8)", "1*8*(12-9)", "8/(12/9-1)"], "hints": ["[\"last\", \"*\"]", "[\"make\", \"3\", \"9 12\"]", "[\"shape\", \"\\u25a1*\\u25a1*(\\u25a1-\\u25a1)\"]"], "recipe": "24:4:13:24:97%"}', '9 8 1 12 → 24', '{"v": 1}', '{}', NULL, 4, 1, 15, 3);
INSERT INTO public.rounds VALUES (9, 5000000002, 0, 'storm', 'easy', 5.8967733216945994, 'won', 5000000002, 'en', NULL, 16, NULL, 1795262442, 1795262622, 1795262444, 5000000002, '1*2*3*4', 0, 0, 1795262442, '24', '{"v": 1, "numbers": [2, 3, 1, 4], "target": 24, "ideas": ["1*2*3*4", "4*(1+2+3)", "(1+3)*(2+4)"], "hints": ["[\"last\", \"*\"]", "[\"make\", \"6\", \"1 2 3\"]", "[\"shape\", \"\\u25a1\\u25cb\\u25a1*\\u25a1*\\u25a1\"]"], "recipe": "24:4:13:24:97%"}', '2 3 1 4 → 24', '{"v": 1}', '{}', NULL, 4, 1, 15, 1);
INSERT INTO public.rounds VALUES (12, 5000000002, 0, 'storm', 'easy', 7.434504893174776, 'expired', 5000000002, 'en', NULL, 16, NULL, 1795262448, 1795262622, 1795262648, NULL, NULL, 0, 0, 1795262448, '24', '{"v": 1, "numbers": [4, 10, 11, 1], "target": 24, "ideas": ["4+10+11-1"], "hints": ["[\"last\", \"-\"]", "[\"make\", \"14\", \"4 10\"]", "[\"shape\", \"\\u25a1+\\u25a1+\\u25a1-\\u25a1\"]"], "recipe": "24:4:13:24:94%"}', '4 10 11 1 → 24', '{"v": 1}', '{}', NULL, 4, 1, 15, 5);
INSERT INTO public.rounds VALUES (13, 5000000002, 0, 'practice', 'medium', 8.02306924101267, 'won', 5000000002, 'en', NULL, 21, NULL, 1795262648, 1795263248, 1795262648, 5000000002, '10*(1+11-2)', 0, 0, 1795262648, '24', '{"v": 1, "numbers": [2, 1, 10, 11], "target": 100, "ideas": ["10*(1+11-2)"], "hints": ["[\"last\", \"*\"]", "[\"make\", \"12\", \"1 11\"]", "[\"shape\", \"\\u25a1*(\\u25a1+\\u25a1-\\u25a1)\"]"], "recipe": ""}', '2 1 10 11 → 100', '{"v": 1}', '{"skill": "large", "chosen": false, "asked": true}', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.rounds VALUES (11, 5000000002, 0, 'storm', 'easy', 5.449878351263428, 'won', 5000000002, 'en', NULL, 16, NULL, 1795262446, 1795262622, 1795262448, 5000000002, '12*(1+7/7)', 0, 0, 1795262446, '24', '{"v": 1, "numbers": [12, 1, 7, 7], "target": 24, "ideas": ["12*(1+7/7)"], "hints": ["[\"last\", \"*\"]", "[\"make\", \"1\", \"7 7\"]", "[\"shape\", \"\\u25a1*(\\u25a1+\\u25a1/\\u25a1)\"]"], "recipe": "24:4:13:24:97%"}', '12 1 7 7 → 24', '{"v": 1}', '{}', NULL, 4, 1, 15, 4);
INSERT INTO public.rounds VALUES (15, 5327515061893559, 0, 'class', 'fiendish', 67.91761929901838, 'open', 5327515061893559, 'en', NULL, NULL, NULL, 1795262648, NULL, NULL, NULL, NULL, 0, 0, 1795262648, '24', '{"v": 1, "numbers": [3, 8, 3, 8], "target": 24, "ideas": ["8/(3-8/3)"], "hints": ["[\"last\", \"/\"]", "[\"make\", \"8/3\", \"3 8\"]", "[\"shape\", \"\\u25a1/(\\u25a1-\\u25a1/\\u25a1)\"]"], "recipe": ""}', '3 8 3 8 → 24', '{"v": 1}', '{}', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.rounds VALUES (14, 5381325893874244, 0, 'class', 'fiendish', 67.91761929901838, 'won', 5381325893874244, 'en', NULL, NULL, NULL, 1795262648, NULL, 1795262653, 5381325893874244, '8/(3-8/3)', 0, 0, 1795262648, '24', '{"v": 1, "numbers": [3, 8, 3, 8], "target": 24, "ideas": ["8/(3-8/3)"], "hints": ["[\"last\", \"/\"]", "[\"make\", \"8/3\", \"3 8\"]", "[\"shape\", \"\\u25a1/(\\u25a1-\\u25a1/\\u25a1)\"]"], "recipe": ""}', '3 8 3 8 → 24', '{"v": 1}', '{}', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.rounds VALUES (16, -1001000000005, 0, 'first', 'fiendish', 150.0260006786208, 'open', 5000000002, 'zh_Hans', NULL, 27, NULL, 1795262653, 1795263253, NULL, NULL, NULL, 0, 0, 1795262653, '24', '{"v": 1, "numbers": [4, 4, 10, 10], "target": 24, "ideas": ["(10*10-4)/4"], "hints": ["[\"last\", \"/\"]", "[\"make\", \"100\", \"10 10\"]", "[\"shape\", \"(\\u25a1*\\u25a1-\\u25a1)/\\u25a1\"]"], "recipe": ""}', '4 4 10 10 → 24', '{"v": 1}', '{}', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.rounds VALUES (17, -1001000000007, 0, 'first', 'easy', 5.124065467959303, 'won', 5000000001, 'en', 2, 3, NULL, 1795262653, 1795262713, 1795262656, 5000000002, '1*8*(1+2)', 2, 0, 1795262653, '24', '{"v": 1, "numbers": [1, 1, 2, 8], "target": 24, "ideas": ["1*8*(1+2)"], "hints": ["[\"last\", \"*\"]", "[\"make\", \"3\", \"1 2\"]", "[\"shape\", \"\\u25a1*\\u25a1*(\\u25a1+\\u25a1)\"]"], "recipe": ""}', '1 1 2 8 → 24', '{"v": 1}', '{}', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.rounds VALUES (18, -1001000000007, 0, 'first', 'easy', 7.4896594737610425, 'open', 5000000001, 'en', 2, 3, NULL, 1795262656, 1795262716, NULL, NULL, NULL, 0, 0, 1795262656, '24', '{"v": 1, "numbers": [2, 2, 6, 6], "target": 24, "ideas": ["2*6+2*6", "6*(2+6)/2"], "hints": ["[\"last\", \"+\"]", "[\"make\", \"12\", \"2 6\"]", "[\"shape\", \"\\u25a1*\\u25a1+\\u25a1*\\u25a1\"]"], "recipe": ""}', '2 2 6 6 → 24', '{"v": 1}', '{}', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.run_hands VALUES (9, 1, 1);
INSERT INTO public.run_hands VALUES (10, 1, 2);
INSERT INTO public.run_hands VALUES (11, 1, 3);
INSERT INTO public.run_hands VALUES (12, 1, 4);
INSERT INTO public.runs VALUES (1, 5000000002, 'storm', NULL, '[]', 1795262442, 3, 0);
INSERT INTO public.seats VALUES ('2026-11-21', -1001000000005, 5000000001);
INSERT INTO public.tallies VALUES (-1001000000005, 5000000003, '24', 1, 0, 1, 1795262418);
INSERT INTO public.tallies VALUES (-1001000000005, 5000000001, '24', 2, 1, 1, 1795262409);
INSERT INTO public.tallies VALUES (-1001000000005, 5000000002, '24', 7, 0, 3, 1795262442);
INSERT INTO public.tallies VALUES (-1001000000007, 5000000002, '24', 2, 1, 2, 1795262656);
INSERT INTO public.totals VALUES (-1001000000005, '24 all', 5000000003, 5, 1);
INSERT INTO public.totals VALUES (-1001000000005, '24 all', 5000000001, 7, 2);
INSERT INTO public.totals VALUES (0, '24 all', 5000000003, 5, 1);
INSERT INTO public.totals VALUES (0, '24 all', 5000000001, 7, 2);
INSERT INTO public.totals VALUES (0, '24 2026-11-21', 5000000001, 7, 2);
INSERT INTO public.totals VALUES (0, '24 2026-W47', 5000000001, 7, 2);
INSERT INTO public.totals VALUES (0, '24 2026-11', 5000000001, 7, 2);
INSERT INTO public.totals VALUES (0, '24 2026-11-21', 5000000003, 5, 1);
INSERT INTO public.totals VALUES (0, '24 2026-W47', 5000000003, 5, 1);
INSERT INTO public.totals VALUES (0, '24 2026-11', 5000000003, 5, 1);
INSERT INTO public.totals VALUES (-1001000000005, '24 all', 5000000002, 7, 3);
INSERT INTO public.totals VALUES (0, '24 all', 5000000002, 7, 3);
INSERT INTO public.totals VALUES (0, '24 2026-11', 5000000002, 7, 3);
INSERT INTO public.totals VALUES (0, '24 2026-W47', 5000000002, 7, 3);
INSERT INTO public.totals VALUES (0, '24 2026-11-21', 5000000002, 7, 3);
INSERT INTO public.totals VALUES (-1001000000007, '24 all', 5000000002, 3, 2);
INSERT INTO public.tries VALUES (2, 5000000002, 1, 0, '', '1+5+5+5', '16', 8, 1, 0);
INSERT INTO public.tries VALUES (3, 5000000002, 1, 0, '', '1+3+4+6', '14', 10, 1, 0);
INSERT INTO public.tries VALUES (4, 5000000002, 1, 0, '', '2+2+6+6', '16', 8, 1, 0);
INSERT INTO public.tries VALUES (16, 5000000002, 1, 0, '👎 4+4+10+10 = 28', '4+4+10+10', '28', 4, 1, 0);
INSERT INTO public.votes VALUES (8, 5000000001);
INSERT INTO public.wrong_answers VALUES (1, 5000000002, '2', '1+5+5+5', 1795262409);
INSERT INTO public.wrong_answers VALUES (2, 5000000002, '3', '1+3+4+6', 1795262418);
INSERT INTO public.wrong_answers VALUES (3, 5000000002, '4', '2+2+6+6', 1795262427);
INSERT INTO public.wrong_answers VALUES (4, 5000000001, '2026-11-21', '1+1', 1795262442);
INSERT INTO public.wrong_answers VALUES (5, 5000000002, '16', '4+4+10+10', 1795262653);
SELECT pg_catalog.setval('public.awards_id_seq', 8, true);
SELECT pg_catalog.setval('public.board_words_id_seq', 2, true);
SELECT pg_catalog.setval('public.chains_id_seq', 4, true);
SELECT pg_catalog.setval('public.duels_id_seq', 1, true);
SELECT pg_catalog.setval('public.lessons_id_seq', 1, true);
SELECT pg_catalog.setval('public.mistakes_id_seq', 1, true);
SELECT pg_catalog.setval('public.outbox_id_seq', 58, true);
SELECT pg_catalog.setval('public.races_id_seq', 2, true);
SELECT pg_catalog.setval('public.rounds_id_seq', 18, true);
SELECT pg_catalog.setval('public.runs_id_seq', 1, true);
SELECT pg_catalog.setval('public.wrong_answers_id_seq', 5, true);
ALTER TABLE ONLY public.achievements
    ADD CONSTRAINT achievements_pkey PRIMARY KEY (player_id, name);
ALTER TABLE ONLY public.alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);
ALTER TABLE ONLY public.attempts
    ADD CONSTRAINT attempts_pkey PRIMARY KEY (day, player_id);
ALTER TABLE ONLY public.awards
    ADD CONSTRAINT awards_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.awards
    ADD CONSTRAINT awards_round_id_idea_key UNIQUE (round_id, idea);
ALTER TABLE ONLY public.best_days
    ADD CONSTRAINT best_days_pkey PRIMARY KEY (chat_id, player_id, game);
ALTER TABLE ONLY public.board_offline
    ADD CONSTRAINT board_offline_pkey PRIMARY KEY (day, player_id);
ALTER TABLE ONLY public.board_openings
    ADD CONSTRAINT board_openings_pkey PRIMARY KEY (digest);
ALTER TABLE ONLY public.board_words
    ADD CONSTRAINT board_words_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.chains
    ADD CONSTRAINT chains_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.chats
    ADD CONSTRAINT chats_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.class_hands
    ADD CONSTRAINT class_hands_lesson_id_pupil_id_number_key UNIQUE (lesson_id, pupil_id, number);
ALTER TABLE ONLY public.class_hands
    ADD CONSTRAINT class_hands_pkey PRIMARY KEY (round_id);
ALTER TABLE ONLY public.classes
    ADD CONSTRAINT classes_code_key UNIQUE (code);
ALTER TABLE ONLY public.classes
    ADD CONSTRAINT classes_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.dailies
    ADD CONSTRAINT dailies_pkey PRIMARY KEY (day);
ALTER TABLE ONLY public.daily_tables
    ADD CONSTRAINT daily_tables_pkey PRIMARY KEY (day, chat_id);
ALTER TABLE ONLY public.duels
    ADD CONSTRAINT duels_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.entries
    ADD CONSTRAINT entries_pkey PRIMARY KEY (round_id, player_id);
ALTER TABLE ONLY public.ephemeral_chats
    ADD CONSTRAINT ephemeral_chats_pkey PRIMARY KEY (chat_id);
ALTER TABLE ONLY public.histogram
    ADD CONSTRAINT histogram_pkey PRIMARY KEY (chat_id, period, points);
ALTER TABLE ONLY public.inbox
    ADD CONSTRAINT inbox_pkey PRIMARY KEY (update_id);
ALTER TABLE ONLY public.lanes
    ADD CONSTRAINT lanes_pkey PRIMARY KEY (lane);
ALTER TABLE ONLY public.last_wins
    ADD CONSTRAINT last_wins_pkey PRIMARY KEY (chat_id, player_id);
ALTER TABLE ONLY public.lessons
    ADD CONSTRAINT lessons_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.lost_messages
    ADD CONSTRAINT lost_messages_pkey PRIMARY KEY (chat_id, message_id);
ALTER TABLE ONLY public.meta
    ADD CONSTRAINT meta_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.mistakes
    ADD CONSTRAINT mistakes_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.outbox
    ADD CONSTRAINT outbox_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.players
    ADD CONSTRAINT players_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.practised
    ADD CONSTRAINT practised_pkey PRIMARY KEY (round_id);
ALTER TABLE ONLY public.private_words
    ADD CONSTRAINT private_words_pkey PRIMARY KEY (chat_id, player_id, key);
ALTER TABLE ONLY public.pupils
    ADD CONSTRAINT pupils_class_id_name_key_key UNIQUE (class_id, name_key);
ALTER TABLE ONLY public.pupils
    ADD CONSTRAINT pupils_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.races
    ADD CONSTRAINT races_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.ratings
    ADD CONSTRAINT ratings_pkey PRIMARY KEY (player_id);
ALTER TABLE ONLY public.replicas
    ADD CONSTRAINT replicas_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.reveals
    ADD CONSTRAINT reveals_pkey PRIMARY KEY (reader, at, numbers);
ALTER TABLE ONLY public.rounds
    ADD CONSTRAINT rounds_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.run_hands
    ADD CONSTRAINT run_hands_pkey PRIMARY KEY (round_id);
ALTER TABLE ONLY public.run_hands
    ADD CONSTRAINT run_hands_run_id_number_key UNIQUE (run_id, number);
ALTER TABLE ONLY public.runs
    ADD CONSTRAINT runs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.scheduled_posts
    ADD CONSTRAINT scheduled_posts_pkey PRIMARY KEY (chat_id, what, period);
ALTER TABLE ONLY public.seats
    ADD CONSTRAINT seats_pkey PRIMARY KEY (day, chat_id, player_id);
ALTER TABLE ONLY public.secret_doors
    ADD CONSTRAINT secret_doors_pkey PRIMARY KEY (player_id, round_id);
ALTER TABLE ONLY public.stops
    ADD CONSTRAINT stops_pkey PRIMARY KEY (race_id, player_id);
ALTER TABLE ONLY public.tallies
    ADD CONSTRAINT tallies_pkey PRIMARY KEY (chat_id, player_id, game);
ALTER TABLE ONLY public.totals
    ADD CONSTRAINT totals_pkey PRIMARY KEY (chat_id, period, player_id);
ALTER TABLE ONLY public.tries
    ADD CONSTRAINT tries_pkey PRIMARY KEY (round_id, player_id);
ALTER TABLE ONLY public.uploads
    ADD CONSTRAINT uploads_pkey PRIMARY KEY (content);
ALTER TABLE ONLY public.votes
    ADD CONSTRAINT votes_pkey PRIMARY KEY (round_id, player_id);
ALTER TABLE ONLY public.wrong_answers
    ADD CONSTRAINT wrong_answers_pkey PRIMARY KEY (id);
CREATE INDEX achievement_of_chat ON public.achievements USING btree (chat_id);
CREATE INDEX achievement_of_round ON public.achievements USING btree (round_id);
CREATE INDEX attempt_of_player ON public.attempts USING btree (player_id, day);
CREATE INDEX award_by_seconds ON public.awards USING btree (chat_id, level, seconds, id);
CREATE INDEX award_of_chat ON public.awards USING btree (chat_id, at);
CREATE INDEX award_of_part ON public.awards USING btree (chat_id) WHERE (idea <> ''::text);
CREATE INDEX award_of_player ON public.awards USING btree (player_id, chat_id, level, seconds, idea, points, at, round_id, game);
CREATE INDEX best_day_of_player ON public.best_days USING btree (player_id);
CREATE INDEX board ON public.totals USING btree (chat_id, period, points DESC, player_id);
CREATE INDEX board_offline_of_player ON public.board_offline USING btree (player_id);
CREATE INDEX board_offline_received ON public.board_offline USING btree (received);
CREATE INDEX board_opening_at ON public.board_openings USING btree (at);
CREATE INDEX board_word_at ON public.board_words USING btree (at);
CREATE INDEX board_word_of_player ON public.board_words USING btree (player_id, id);
CREATE INDEX chain_of_chat ON public.chains USING btree (chat_id, game);
CREATE INDEX chat_that_chose_a_reminder ON public.chats USING btree (settings) WHERE (settings ~~ '%"reminder"%'::text);
CREATE INDEX chat_that_chose_posts ON public.chats USING btree (settings) WHERE (settings ~~ '%"posts"%'::text);
CREATE INDEX chat_that_chose_secret_answers ON public.chats USING btree (settings) WHERE (settings ~~ '%"secret": true%'::text);
CREATE INDEX chat_that_counts ON public.chats USING btree (counted_until) WHERE (counted = 1);
CREATE INDEX class_hand_of_pupil ON public.class_hands USING btree (pupil_id);
CREATE INDEX class_of_teacher ON public.classes USING btree (teacher_id);
CREATE INDEX daily_table_of_chat ON public.daily_tables USING btree (chat_id);
CREATE INDEX duel_lapsing ON public.duels USING btree (state, until);
CREATE INDEX duel_of_challenger ON public.duels USING btree (challenger_id);
CREATE INDEX duel_of_chat ON public.duels USING btree (chat_id);
CREATE INDEX duel_of_opponent ON public.duels USING btree (opponent_id);
CREATE INDEX duel_of_race ON public.duels USING btree (race_id);
CREATE INDEX entry_of_player ON public.entries USING btree (player_id);
CREATE INDEX inbox_press ON public.inbox USING btree (press);
CREATE INDEX inbox_state ON public.inbox USING btree (state, lane, at);
CREATE INDEX lane_of_owner ON public.lanes USING btree (owner);
CREATE INDEX last_win_in_chat ON public.last_wins USING btree (chat_id, at);
CREATE INDEX lesson_of_class ON public.lessons USING btree (class_id, id);
CREATE UNIQUE INDEX live_round ON public.rounds USING btree (chat_id, topic) WHERE (state = 'open'::text);
CREATE INDEX lost_message_of_round ON public.lost_messages USING btree (round_id);
CREATE INDEX mistake_of_round ON public.mistakes USING btree (round_id, id);
CREATE INDEX outbox_state ON public.outbox USING btree (state, lane, id);
CREATE INDEX player_of_username ON public.players USING btree (lower(username));
CREATE INDEX practised_by_player ON public.practised USING btree (player_id, round_id);
CREATE INDEX private_word_at ON public.private_words USING btree (at);
CREATE INDEX private_word_of_key ON public.private_words USING btree (chat_id, key);
CREATE INDEX private_word_of_player ON public.private_words USING btree (player_id);
CREATE INDEX race_of_chat ON public.races USING btree (chat_id);
CREATE INDEX rating_floor ON public.ratings USING btree (((mu - ((2.0)::double precision * sigma))) DESC, player_id);
CREATE INDEX reveal_at ON public.reveals USING btree (at);
CREATE INDEX round_closed ON public.rounds USING btree (closed);
CREATE INDEX round_deadline ON public.rounds USING btree (state, deadline);
CREATE INDEX round_message ON public.rounds USING btree (chat_id, message_id);
CREATE INDEX round_of_chat ON public.rounds USING btree (chat_id, id);
CREATE INDEX round_of_dealer ON public.rounds USING btree (dealer_id);
CREATE INDEX round_of_picture ON public.rounds USING btree (closed) WHERE (picture <> '-'::text);
CREATE INDEX round_of_race ON public.rounds USING btree (race_id);
CREATE INDEX run_of_group ON public.runs USING btree (group_id, mode, opened);
CREATE INDEX run_of_player ON public.runs USING btree (player_id, mode, opened);
CREATE INDEX scheduled_post_at ON public.scheduled_posts USING btree (at);
CREATE INDEX scheduled_post_of_period ON public.scheduled_posts USING btree (what, period);
CREATE INDEX seat_of_chat ON public.seats USING btree (chat_id);
CREATE INDEX seat_of_player ON public.seats USING btree (player_id, day);
CREATE INDEX secret_door_at ON public.secret_doors USING btree (at);
CREATE INDEX secret_door_of_round ON public.secret_doors USING btree (round_id);
CREATE INDEX stop_of_player ON public.stops USING btree (player_id);
CREATE INDEX tally_of_player ON public.tallies USING btree (player_id);
CREATE INDEX try_of_player ON public.tries USING btree (player_id, round_id);
CREATE INDEX upload_until ON public.uploads USING btree (until);
CREATE INDEX vote_of_player ON public.votes USING btree (player_id);
CREATE INDEX wrong_answer_at ON public.wrong_answers USING btree (at);
CREATE INDEX wrong_answer_of_player ON public.wrong_answers USING btree (player_id, hand);
ALTER TABLE ONLY public.class_hands
    ADD CONSTRAINT class_hands_lesson_id_fkey FOREIGN KEY (lesson_id) REFERENCES public.lessons(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.class_hands
    ADD CONSTRAINT class_hands_round_id_fkey FOREIGN KEY (round_id) REFERENCES public.rounds(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.entries
    ADD CONSTRAINT entries_round_id_fkey FOREIGN KEY (round_id) REFERENCES public.rounds(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.lessons
    ADD CONSTRAINT lessons_class_id_fkey FOREIGN KEY (class_id) REFERENCES public.classes(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.lost_messages
    ADD CONSTRAINT lost_messages_round_id_fkey FOREIGN KEY (round_id) REFERENCES public.rounds(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.mistakes
    ADD CONSTRAINT mistakes_round_id_fkey FOREIGN KEY (round_id) REFERENCES public.class_hands(round_id) ON DELETE CASCADE;
ALTER TABLE ONLY public.pupils
    ADD CONSTRAINT pupils_class_id_fkey FOREIGN KEY (class_id) REFERENCES public.classes(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.run_hands
    ADD CONSTRAINT run_hands_round_id_fkey FOREIGN KEY (round_id) REFERENCES public.rounds(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.run_hands
    ADD CONSTRAINT run_hands_run_id_fkey FOREIGN KEY (run_id) REFERENCES public.runs(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.stops
    ADD CONSTRAINT stops_race_id_fkey FOREIGN KEY (race_id) REFERENCES public.races(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.tries
    ADD CONSTRAINT tries_round_id_fkey FOREIGN KEY (round_id) REFERENCES public.rounds(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.votes
    ADD CONSTRAINT votes_round_id_fkey FOREIGN KEY (round_id) REFERENCES public.rounds(id) ON DELETE CASCADE;
