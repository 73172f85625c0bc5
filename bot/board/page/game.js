/**
 * What happens on the page: the newest state of the table, the tiles under the finger, and what is on its way to the
 * bot. It knows no element; `screen` draws what `model` says.
 */
import { Connection } from "./connection.js";
import { Clock } from "./clock.js";
import { Laid } from "./laid.js";
import { about, asks, dayText, elsewhereText, extras, hintText, isOffered, offered, offlineText, spoken, tabs } from "./offers.js";
import { found, isHinted, isHurried, isOver, isPlayed, laidText, news } from "./news.js";
import { alone, beforeText } from "./outcome.js";
import { puzzleOf } from "./day.js";
import { Seat } from "./seat.js";
import { outcome } from "./tiles.js";
import { Today } from "./today.js";
import { closing, placeText, refusedText, thresholdText } from "./texts.js";
import { meaning, Typing } from "./typing.js";
import { say, speakSoon } from "./words.js";

/** Milliseconds that a press waits for what it changes before the buttons are free again. */
const PATIENCE = 3000;

export class Game {
  #state = null;
  #said = null;
  #going = null;
  #closed = null;
  #pressed = null;
  /** The press that is asked about: the same one again is the answer. */
  #asked = null;
  #today;
  #connection = new Connection(() => this.#noted());
  #typing = new Typing(this);
  #clock = new Clock();
  #laid;
  #link = null;
  #turn = null;

  /**
   * @param {object} parts `screen`, `telegram`, `day`, `kept` (where moves survive a reload), `now` (epoch seconds),
   *   `entries` and `send` (sends the day's answers that wait) and `seat`, all set before anything is tapped
   */
  constructor({ screen, telegram, day, kept, now }) {
    Object.assign(this, { screen, telegram, day, kept, now, seat: new Seat(), send: () => null });
    this.#today = new Today(day);
    const tapped = (act) => (...given) => {
      this.#asked = null;
      act(...given);
    };
    this.#laid = new Laid(this, {
      said: tapped((text, kind) => this.#say(text, kind)),
      moved: tapped(() => (this.#said = null)),
      made: tapped((answer) => this.#submit(answer)),
      drawn: () => this.draw(),
      undo: () => this.undo(),
    });
  }

  // What the bot says.

  /** The newest state: it is shown behind those that came before it, and soon, with or without the words of its language. */
  async take(state) {
    this.#clock.set(state.now, this.now());
    await (this.#turn = Promise.allSettled([this.#turn, speakSoon(state.language, () => this.draw())]).then(() => {
      this.#going = null;
      this.day.keep(state);
      this.#show(this.seat.shown(state));
    }));
  }

  /** Goes where a tab of the header leads, by its key (see `tabs`). */
  visit(key) {
    if (key === "day") return this.playDay();
    if (!["hand", "contest"].includes(key)) return this.press(key);
    if (this.#today.hand) this.leaveDay();
    if (this.seat.at === key) return;
    this.#said = null;
    this.#show(this.seat.other(), true);
  }

  #show(state, went = false) {
    const [before, today] = [this.#state, this.#today];
    this.#state = state;
    if (!isOffered(state, this.#asked)) this.#asked = null;
    const goes = today.hand !== null && today.goes(state, this.#laid.isBegun);
    if (goes) this.#leave(today.isDone(state));
    if (today.result(state) && !today.result(before)) this.#endDay(state);
    const due = today.hand ? null : today.due(state, before);
    if (due) return this.#layDay(due);
    if (!today.hand) {
      const said = before ? null : this.#said; // of a day's answer, before there was a table
      this.#layRound();
      this.#said ??= said;
      this.#announce(before && goes ? {} : before, state, went || goes);
    }
    this.draw();
  }

  /** The id of the round that is shown. */
  get shown() {
    return this.#state?.round?.id;
  }

  /** What the bot says to this person about something that was handed in. */
  word({ id, text, right }) {
    if (!this.entries.isOwn(id)) return; // what another page of this person handed in is told there
    this.#going = null;
    if (this.#today.isTooLate(id, right)) this.#leave(true);
    if (text) this.#say(text, right === true ? "good" : right === false ? "bad" : "told", this.#pressed);
    if (right !== null && right !== undefined) this.telegram.judged(right);
    if (right === true && this.table && !this.#today.hand && this.#state?.round?.kind === "all") this.#laid.again();
    this.draw();
  }

  /** The bot has stored an entry: what it changes comes by itself. */
  taken() {
    setTimeout(() => {
      this.#going = null;
      this.draw();
    }, PATIENCE);
  }

  /** The bot refused an entry for good. */
  refused({ id, day }, status) {
    this.#going = null;
    this.#today.refused(id);
    if (status === 401 || status === 403) return this.end(status);
    this.inform(refusedText(day, status), null, "bad");
  }

  // The connection.

  /** There is one; whether that is new. */
  connected() {
    return this.#connection.made();
  }

  lost() {
    this.#connection.lost(!this.#state);
  }

  /** Other boards are connected in the place of this one. */
  rests() {
    this.#connection.rests();
  }

  /** There is nothing to play: why, as `closing` takes it. Who doesn't see it is told in the language of this moment. */
  end(status) {
    this.#closed = { status };
    this.draw();
    this.screen.tell(Object.values(this.model().closed).join(" "));
  }

  #noted() {
    if (this.#connection.is === false && !this.#state && !this.#today.hand) this.playDay(true);
    this.draw();
  }

  // What is tapped.

  /** The tiles as they lie; null when there are none. */
  get table() {
    return this.#laid.table;
  }

  tap(place) {
    this.#typing.clear();
    this.#laid.tap(place);
  }

  operate(op) {
    this.#laid.operate(op);
  }

  undo() {
    this.#typing.clear();
    this.#laid.undo();
  }

  reset() {
    this.#typing.clear();
    this.#laid.reset();
  }

  hand() {
    this.#laid.hand();
  }

  /** One of the buttons that the state offers, or a category. */
  press(press) {
    if (press === null) return this.inform(say("No more hints for this hand."));
    const isAsked = asks(press, this.#state) && this.#asked !== press;
    [this.#said, this.#asked] = [null, isAsked ? press : null];
    if (isAsked) return this.draw();
    [this.#going, this.#pressed] = [press, press];
    this.telegram.tap();
    this.seat.pressed(press);
    this.#today.pressed(press);
    this.entries.add({ press });
    this.draw();
  }

  /** The day's hand; once it is solved without a connection that is shown, as long as its answer waits. */
  playDay(unasked = false) {
    const hand = this.#offeredDay ?? (this.#state ? null : this.day.solvedHand);
    if (hand) this.#layDay(hand, unasked);
    else if (!unasked && this.day.waits) this.inform(elsewhereText());
    else this.draw();
  }

  /** The day's hand that may be laid: to be played, or with its end; null for none. */
  get #offeredDay() {
    const [state, { isAway }] = [this.#state, this.#connection];
    return this.#today.playable(state, isAway) ?? (state?.day?.is_done ? puzzleOf(state.day) : null);
  }

  /** The address that shares the result of the day's hand. */
  get dayShare() {
    return this.#today.result(this.#state)?.share;
  }

  /** From the day's hand back to the table, which is told as on the way to any other. */
  leaveDay() {
    this.#today.lay(null);
    this.#said = null;
    if (this.#state) this.#layRound();
    this.draw();
    for (const sentence of found(this.#state)) this.screen.tell(sentence);
  }

  /** What the bot says of a day's answer, which it has now: back from that hand to the table. */
  judged(text) {
    if (this.#today.hand && (outcome(this.table) === "made" || !this.day.hand)) this.leaveDay();
    this.inform(text);
  }

  /** Another page of this person has solved the day's hand, or was told something (`text`) of its answer. */
  heard(text = null) {
    if (text) this.judged(text);
    const isKnown = this.#connection.is || this.#today.result(this.#state); // the bot tells this page, too
    if (this.#today.hand && !isKnown && this.day.isDone(this.#today.hand)) this.#leave(true);
    this.draw();
  }

  /** Something is said beside what lies there: why a tap does nothing, a link to copy, a result that was shared. */
  inform(text, link = null, kind = "told") {
    this.#link = link ?? this.#link;
    this.#say(text, kind);
    this.draw();
  }

  /** A key of the keyboard, with or without a button that has the focus (see `Typing`); whether it was ours. */
  key(key, onControl, stays = false) {
    const mode = this.#mode();
    const arrow = meaning(key)?.arrow;
    if (arrow && ["table", "card"].includes(mode)) this.screen.step(arrow);
    return arrow ? ["table", "card"].includes(mode) : mode === "table" && this.#typing.key(key, onControl, stays);
  }

  /** The clock; called a few times each second. */
  tick() {
    const today = this.#today.hand;
    const round = today || this.#closed ? null : this.#state?.round;
    const { seconds, crossed } = this.#clock.read(isPlayed(round) ? round.deadline : null, this.now());
    if (crossed !== null) this.screen.tell(thresholdText(crossed));
    const runs = today?.began && !this.#closed && this.#mode() === "table";
    this.screen.time(runs ? this.#clock.since(today.began, this.now()) : seconds, Boolean(runs));
  }

  draw() {
    this.screen.draw(this.model());
    this.tick();
  }

  /** All that is shown. */
  model() {
    const [mode, today, state, { is, isAway, isResting }] = [this.#mode(), this.#today.hand, this.#state, this.#connection];
    const [round, result] = [today ?? state?.round, this.#today.result(state)];
    const waits = [...(this.entries?.waiting ?? []), ...this.day.waiting].some(({ answer, at }) => answer && at === undefined);
    return {
      mode,
      game: mode === "closed" ? undefined : round?.game,
      place: this.#closed ? null : today ? dayText(isAway) : placeText(state),
      notice: this.#closed || (today && isAway) ? null : this.#connection.notice,
      said: spoken({ isResting, said: this.#said, asked: this.#asked, pressed: this.#going, onItsWay: this.#today.isOnItsWay, waits, is, today, state, isAway, isSolved: mode === "ended", result, isSolvedElsewhere: Boolean(state?.day) && this.day.isSolved(state.day) }),
      puzzle: round,
      table: this.table,
      card: this.#state?.card,
      state: today ? alone(today, this.day.answer(today), result) : state,
      view: [round?.id, this.#state?.winner, this.#closed, result],
      closed: closing(this.#closed?.status, { waits: waits || this.day.waits }),
      going: this.#going,
      buttons: today || !state || mode === "closed" ? [] : offered(state, this.#asked),
      tabs: tabs({ state, today, day: this.#offeredDay, seat: this.seat, isClosed: this.#closed !== null }),
      extras: extras({ mode, today, state, canShare: this.telegram.canShare, result, isFailed: this.#closed?.status === "failed" }),
      about: about({ mode, today, state, link: this.#link }),
    };
  }

  #mode() {
    if (this.#closed) return "closed";
    const today = this.#today.hand;
    if (today) return this.day.isSolved(today) || this.#today.result(this.#state) ? "ended" : "table";
    const state = this.#state;
    if (!state) return this.#connection.is === false ? "closed" : "loading";
    if (state.card && isPlayed(state.round)) return "card";
    if (!state.round) return "empty";
    if (!isPlayed(state.round)) return "ended";
    return this.table ? "table" : "watch";
  }

  // The tiles.

  #layRound() {
    this.#lay(this.#state.round, this.#state.place.kind === "watch" || this.#state.card);
  }

  #layDay(hand, unasked = false) {
    this.#today.lay(hand, unasked);
    this.#lay(hand, false);
    this.draw();
    this.screen.tell(laidText(hand, this.day.answer(hand), this.#today.result(this.#state)));
  }

  /** The day's hand is over, and its end is shown in its place. */
  #endDay(state) {
    this.#said = null;
    this.screen.tell(laidText(this.#today.hand, null, this.#today.result(state)));
  }

  /** The day's hand goes. Where it is done, what was said of an answer to it stays, or it is said that it is. */
  #leave(isDone) {
    const said = this.#today.isHandedIn ? this.#said : { text: say("You have done that day’s hand already."), kind: "told" };
    if (isDone) this.day.done(this.#today.hand.day);
    this.#today.lay(null);
    if (this.#state) this.#layRound();
    if (isDone) this.#said = said;
  }

  /** The moves on the day's hand are kept apart: neither it nor the hand on the table is lost by the other. */
  #lay(round, looks) {
    if (!this.#laid.lay(round, looks, this.#today.hand ? this.day.moves : this.kept)) return;
    [this.#said, this.#link, this.#pressed, this.#asked] = [null, null, null, null];
    this.#typing.dealt();
  }

  /** Without a connection the day's hand is no answer like others; and while one is on its way there is no other. */
  #submit(answer) {
    if (!this.#today.hand) this.entries.add({ round: this.#state.round.id, answer });
    else if (!this.#today.isOnItsWay && this.#submitDay(this.#today.hand, answer)) return;
    this.#say(this.#connection.is ? say("Handed in.") : say("Kept, and sent as soon as there is a connection."), "told");
  }

  /** Returns whether it was solved offline, and nothing else is to be said. */
  #submitDay({ day }, answer) {
    const { id, at } = this.day.add(day, answer, this.#connection.isAway ? this.now() : null);
    if (at !== undefined) {
      this.#say(offlineText(), "good");
      this.telegram.judged(true);
      return true;
    }
    this.entries.remember(id);
    this.#today.handedIn(id);
    this.send();
    return false;
  }

  // What is said.

  #say(text, kind, of = null) {
    this.#said = { text, kind, ...(of && { of }) };
  }

  #announce(before, state, went) {
    if (!state.round || !before) return;
    if (isOver(before, state)) this.#ended(state);
    if (isHinted(before, state)) this.#say(hintText(state.round), "told");
    if (isHurried(before, state)) this.#hurried(state.round.hurry);
    for (const sentence of news(before, state, went)) this.screen.tell(sentence, Boolean(beforeText(state.round)));
  }

  /** It stands by the board from now on; a verdict that was just given stays in its place for a while. */
  #hurried(text) {
    if (["good", "bad"].includes(this.#said?.kind)) this.screen.tell(text);
    else this.#said = null;
  }

  #ended({ winner, place }) {
    [this.#said, this.#link] = [null, null];
    if (winner && place.kind !== "watch") this.telegram.judged(winner.you);
  }
}
