/**
 * The page's controller: it holds the newest state, the tiles, and what waits for the bot. It knows no elements;
 * `Screen` draws the model that `buildModel` returns.
 */
import { describeChanges, describeDailyHand, describeState } from "./announcements.js";
import { isOffered, listButtonRows, listPageButtons, listTabs, needsConfirmation } from "./buttons.js";
import { Clock } from "./clock.js";
import { Connection } from "./connection.js";
import { DailyHand } from "./daily_hand.js";
import { makeDailyPuzzle } from "./daily_store.js";
import { formatLastResult, makeDailyEnding } from "./ending.js";
import { interpretKey, KeyboardInput } from "./keyboard.js";
import { chooseMessage, formatNewestHint, formatSolvedElsewhere, formatSolvedOffline } from "./message.js";
import { RoundSelector } from "./round_selector.js";
import { RunHands } from "./run_hands.js";
import { hasEnded, hasNewHint, hasShorterTime, isInPlay } from "./rounds.js";
import { formatClosure, formatPlace, formatRefusal, formatThreshold } from "./texts.js";
import { TileController } from "./tile_controller.js";
import { judgeTiles } from "./tiles.js";
import { say, setLanguageOrContinue } from "./translations.js";

/** After this time buttons work again, even if an accepted entry has changed nothing. */
const MAX_PENDING_MS = 3000;

export class Game {
  #state = null;
  #stateOfBot = null; // the same before `#runHands`
  #message = null; // {text, kind, press}; `press` caused it, undefined for none
  #pendingPress = null; // disables the buttons until the bot has reacted
  #lastPress = null;
  #pressToConfirm = null;
  #missId = null; // of the newest entry by `#reportMiss`
  #closure = null; // {status}: the page can't be played any more
  #spectatorLink = null;
  #stateQueue = null; // a promise: states are applied one after the other
  #dailyHand;
  #runHands = new RunHands();
  #tileController;
  #connection = new Connection(() => this.#handleConnectionChange());
  #keyboard = new KeyboardInput(this);
  #clock = new Clock();
  /** Sends the stored answers to daily hands; set once there is a session, as is `entries`. */
  sendDailyAnswers = () => null;
  roundSelector = new RoundSelector();

  /** @param {object} parts `moves` is a stored value for the moves on a round's tiles; `now` returns epoch seconds */
  constructor({ screen, telegram, dailyStore, moves, now }) {
    Object.assign(this, { screen, telegram, dailyStore, moves, now });
    this.#dailyHand = new DailyHand(dailyStore);
    this.#tileController = this.#makeTileController();
  }

  #makeTileController() {
    const dropQuestion = () => (this.#pressToConfirm = null);
    return new TileController(this, {
      onMessage: (text, kind) => {
        dropQuestion();
        this.#setMessage(text, kind);
      },
      onMove: () => {
        dropQuestion();
        this.#message = null;
      },
      onAnswer: (answer) => {
        dropQuestion();
        this.#submitAnswer(answer);
      },
      onMiss: (answer) => this.#reportMiss(answer),
      onEnd: () => this.draw(),
      onUndo: () => this.undo(),
    });
  }

  // What the bot sends.

  /** Apply a state after those before it, once its language is loaded or that takes too long. */
  async receiveState(state) {
    this.#clock.setServerTime(state.now, this.now());
    const languageChange = setLanguageOrContinue(state.language, () => this.draw());
    this.#stateQueue = Promise.allSettled([this.#stateQueue, languageChange]).then(() => {
      this.#pendingPress = null;
      this.dailyStore.storeHand(state);
      this.#applyState(this.roundSelector.select(state));
    });
    await this.#stateQueue;
  }

  /** @param {boolean} isOwnMove whether the reader has moved to the round that the state shows */
  #applyState(stateOfBot, isOwnMove = false) {
    const before = this.#state;
    const dailyHand = this.#dailyHand;
    const state = this.#runHands.select(stateOfBot);
    this.#stateOfBot = stateOfBot;
    this.#state = state;
    if (!isOffered(state, this.#pressToConfirm)) this.#pressToConfirm = null;
    const closesDailyHand = dailyHand.puzzle !== null && dailyHand.mustClose(state, this.#tileController.isBegun);
    if (closesDailyHand) this.#replaceDailyHand(dailyHand.isFinished(state));
    if (dailyHand.findResult(state) && !dailyHand.findResult(before)) this.#announceDailyResult();
    const duePuzzle = dailyHand.puzzle ? null : dailyHand.takeDuePuzzle(state, before);
    if (duePuzzle) return this.#showDailyHand(duePuzzle);
    if (!dailyHand.puzzle) {
      const earlyMessage = before ? null : this.#message; // about a daily answer, before the first state
      this.#dealRound();
      this.#message ??= earlyMessage;
      this.#announceChanges(before && closesDailyHand ? {} : before, state, isOwnMove || closesDailyHand);
    }
    this.draw();
  }

  /** Show the bot's reply to an entry; other pages of this person show the replies to theirs. */
  receiveReply({ id, text, right }) {
    if (!this.entries.isOwn(id) || id === this.#missId) return;
    this.#pendingPress = null;
    if (this.#dailyHand.noteVerdict(id, right)) this.#replaceDailyHand(true);
    if (text) this.#setMessage(text, getVerdictKind(right), this.#lastPress);
    if (right === false) this.#returnToHandOfBot();
    if (right === true || right === false) this.telegram.vibrateForVerdict(right);
    const canAnswerAgain = !this.#dailyHand.puzzle && this.#state?.round?.kind === "all";
    if (right === true && this.table && canAnswerAgain) this.#tileController.restart();
    this.draw();
  }

  /** Enable the buttons some time after the bot has accepted an entry, unless a state does that earlier. */
  noteAccepted() {
    setTimeout(() => {
      this.#pendingPress = null;
      this.draw();
    }, MAX_PENDING_MS);
  }

  /** Note that the bot has refused an entry for good. */
  noteRefused({ id, day }, status) {
    this.#pendingPress = null;
    this.#dailyHand.noteRefusal(id);
    this.#returnToHandOfBot();
    if (status === 401 || status === 403) return this.close(status);
    this.showMessage(formatRefusal(day, status), null, "bad");
  }

  // The connection.

  /** Note that there is a connection; return whether that is new. */
  noteConnected() {
    return this.#connection.noteConnected();
  }

  noteLost() {
    this.#connection.noteLost(!this.#state);
  }

  /** Note that other pages have the connection until this one is used. */
  notePaused() {
    this.#connection.notePaused();
  }

  /** End the page for a reason that `formatClosure` knows. */
  close(status) {
    this.#closure = { status };
    this.draw();
    const { title, text } = this.buildModel().closure;
    this.screen.announce(`${title} ${text}`);
  }

  #handleConnectionChange() {
    if (this.#connection.isConnected === false && !this.#state && !this.#dailyHand.puzzle) this.openDailyHand(true);
    this.draw();
  }

  // What the reader does.

  /** The tiles; null without any. */
  get table() {
    return this.#tileController.table;
  }

  tapTile(place) {
    this.#keyboard.clear();
    this.#tileController.tapTile(place);
  }

  tapOperation(op) {
    this.#tileController.tapOperation(op);
  }

  undo() {
    this.#keyboard.clear();
    this.#tileController.undo();
  }

  reset() {
    this.#keyboard.clear();
    this.#tileController.reset();
  }

  submit() {
    this.#tileController.submit();
  }

  /** Press one of the state's buttons, or a category of the card; null for a hint button without hints. */
  pressButton(press) {
    if (press === null) return this.showMessage(say("No more hints for this hand."));
    const mustConfirm = needsConfirmation(press, this.#state) && this.#pressToConfirm !== press;
    this.#message = null;
    this.#pressToConfirm = mustConfirm ? press : null;
    if (mustConfirm) return this.draw();
    this.#pendingPress = press;
    this.#lastPress = press;
    this.telegram.vibrateForTap();
    this.roundSelector.notePress(press);
    this.#dailyHand.notePress(press);
    this.entries.add({ press });
    this.draw();
  }

  /** Open a tab of the header by its key; see `listTabs`. */
  openTab(key) {
    if (key === "day") return this.openDailyHand();
    if (!["hand", "contest"].includes(key)) return this.pressButton(key);
    if (this.#dailyHand.puzzle) this.closeDailyHand();
    if (this.roundSelector.side === key) return;
    this.#message = null;
    this.#applyState(this.roundSelector.switchSide(), true);
  }

  /** Handle a key as `KeyboardInput` does, arrows included; return whether it was used. */
  handleKey(key, isOnControl, isTyping = false) {
    const mode = this.#chooseMode();
    const arrow = interpretKey(key)?.arrow;
    if (!arrow) return mode === "table" && this.#keyboard.handleKey(key, isOnControl, isTyping);
    const canMoveFocus = mode === "table" || mode === "card";
    if (canMoveFocus) this.screen.moveFocus(arrow);
    return canMoveFocus;
  }

  /** The bot's id of the round that is shown; undefined for none. */
  get shownRoundId() {
    return this.#stateOfBot?.round?.id;
  }

  // The tiles.

  #dealRound() {
    const isWatching = this.#state.place.kind === "watch" || Boolean(this.#state.card);
    this.#dealTiles(this.#state.round, isWatching, this.moves);
  }

  #dealTiles(round, isWatching, moves) {
    if (!this.#tileController.deal(round, isWatching, moves)) return;
    this.#message = null;
    this.#spectatorLink = null;
    this.#lastPress = null;
    this.#pressToConfirm = null;
    this.#keyboard.noteDeal();
  }

  #submitAnswer(answer) {
    const { puzzle } = this.#dailyHand;
    if (puzzle) return this.#submitDailyAnswer(puzzle, answer);
    this.entries.add({ round: this.shownRoundId, answer });
    if (this.#runHands.advance(this.#stateOfBot)) this.#applyState(this.#stateOfBot);
    else this.#showSubmitted();
  }

  /** Show the hand of a storm or streak that the bot has, after it did not count an answer. */
  #returnToHandOfBot() {
    this.#runHands.reset();
    if (this.#state?.round?.run) this.#applyState(this.#stateOfBot);
  }

  /**
   * Tell the bot of a wrong answer where it counts: a teacher sees a pupil's, and in a storm or streak it costs time or
   * ends the run. The page has said that it is wrong, and shows no reply.
   */
  #reportMiss(answer) {
    const isCounted = this.#state?.place.kind === "class" || this.#state?.round?.run;
    if (!isCounted || this.#dailyHand.puzzle) return;
    this.#missId = this.entries.add({ round: this.shownRoundId, answer });
  }

  #showSubmitted() {
    if (this.#connection.isConnected) this.#setMessage(say("Handed in."), "info");
    else this.#setMessage(say("Kept, and sent as soon as there is a connection."), "info");
  }

  // The daily hand.

  /** Show the daily hand; offline also one that was solved, while its answer waits. */
  openDailyHand(isUnrequested = false) {
    const puzzle = this.#offeredDailyPuzzle ?? (this.#state ? null : this.dailyStore.solvedPuzzle);
    if (puzzle) this.#showDailyHand(puzzle, isUnrequested);
    else if (!isUnrequested && this.dailyStore.hasOfflineAnswer) this.showMessage(formatSolvedElsewhere());
    else this.draw();
  }

  /** The puzzle of the daily hand that can be opened, to be played or with its result; null for none. */
  get #offeredDailyPuzzle() {
    const playable = this.#dailyHand.findPlayable(this.#state, this.#connection.isOffline);
    if (playable) return playable;
    const day = this.#state?.day;
    return day?.is_done ? makeDailyPuzzle(day) : null;
  }

  #showDailyHand(puzzle, isUnrequested = false) {
    this.#dailyHand.show(puzzle, isUnrequested);
    this.#dealTiles(puzzle, false, this.dailyStore.moves);
    this.draw();
    const offlineAnswer = this.dailyStore.getOfflineAnswer(puzzle);
    this.screen.announce(describeDailyHand(puzzle, offlineAnswer, this.#dailyResult));
  }

  /** The state's result of the daily hand that is shown; null until it is over. */
  get #dailyResult() {
    return this.#dailyHand.findResult(this.#state);
  }

  /** The address that shares the result of the daily hand; undefined without a result. */
  get dailyShareUrl() {
    return this.#dailyResult?.share;
  }

  #announceDailyResult() {
    this.#message = null;
    this.screen.announce(describeDailyHand(this.#dailyHand.puzzle, null, this.#dailyResult));
  }

  /** Go back from the daily hand to the chat's round. */
  closeDailyHand() {
    this.#dailyHand.show(null);
    this.#message = null;
    if (this.#state) this.#dealRound();
    this.draw();
    for (const sentence of describeState(this.#state)) this.screen.announce(sentence);
  }

  /** Replace the daily hand by the chat's round; if it is finished, its message stays, or says so. */
  #replaceDailyHand(isFinished) {
    const { hasAnswer, puzzle } = this.#dailyHand;
    const message = hasAnswer ? this.#message : { text: say("You have done that day’s hand already."), kind: "info" };
    if (isFinished) this.dailyStore.markFinished(puzzle.day);
    this.#dailyHand.show(null);
    if (this.#state) this.#dealRound();
    if (isFinished) this.#message = message;
  }

  /** Show the verdict on an offline answer, and the chat's round. */
  showDailyVerdict(text) {
    const isOver = () => judgeTiles(this.table) === "made" || !this.dailyStore.playablePuzzle;
    if (this.#dailyHand.puzzle && isOver()) this.closeDailyHand();
    this.showMessage(text);
  }

  /** Follow another page of this person, which has stored an answer to the daily hand, or the verdict on it. */
  followOtherPage(verdict = null) {
    if (verdict) this.showDailyVerdict(verdict);
    const { puzzle } = this.#dailyHand;
    const hearsFromBot = this.#connection.isConnected || this.#dailyResult;
    if (puzzle && !hearsFromBot && this.dailyStore.isFinished(puzzle)) this.#replaceDailyHand(true);
    this.draw();
  }

  /** Store the answer, and send it unless it is offline. While another one waits for its verdict, it is dropped. */
  #submitDailyAnswer({ day }, answer) {
    if (this.#dailyHand.isAwaitingVerdict) return this.#showSubmitted();
    const { id, at } = this.dailyStore.addAnswer(day, answer, this.#connection.isOffline ? this.now() : null);
    const isOffline = at !== undefined;
    if (isOffline) {
      this.#setMessage(formatSolvedOffline(), "good");
      this.telegram.vibrateForVerdict(true);
      return;
    }
    this.entries.storeOwnId(id);
    this.#dailyHand.noteAnswer(id);
    this.sendDailyAnswers();
    this.#showSubmitted();
  }

  // Messages and announcements.

  /** Show a message, and a link for spectators if there is one. */
  showMessage(text, link = null, kind = "info") {
    this.#spectatorLink = link ?? this.#spectatorLink;
    this.#setMessage(text, kind);
    this.draw();
  }

  #setMessage(text, kind, press = null) {
    this.#message = { text, kind, ...(press && { press }) };
  }

  #announceChanges(before, state, isOwnMove) {
    if (!state.round || !before) return;
    if (hasEnded(before, state)) this.#handleEnd(state);
    if (hasNewHint(before, state)) this.#setMessage(formatNewestHint(state.round), "info");
    if (hasShorterTime(before, state)) this.#showShorterTime(state.round.hurry);
    const isDelayed = Boolean(formatLastResult(state.round));
    for (const sentence of describeChanges(before, state, isOwnMove)) this.screen.announce(sentence, isDelayed);
  }

  /** Make way for the message about the deadline; a verdict stays, and the deadline is announced. */
  #showShorterTime(text) {
    if (["good", "bad"].includes(this.#message?.kind)) this.screen.announce(text);
    else this.#message = null;
  }

  #handleEnd({ winner, place }) {
    this.#message = null;
    this.#spectatorLink = null;
    if (winner && place.kind !== "watch") this.telegram.vibrateForVerdict(winner.you);
  }

  // The screen.

  /** Show the time, and announce its thresholds; called several times a second. */
  updateClock() {
    const dailyPuzzle = this.#dailyHand.puzzle;
    const round = dailyPuzzle || this.#closure ? null : this.#state?.round;
    const deadline = isInPlay(round) ? round.deadline : null;
    const { shownSeconds, passedThreshold } = this.#clock.readDeadline(deadline, this.now());
    if (passedThreshold !== null) this.screen.announce(formatThreshold(passedThreshold));
    const isTimeTaken = Boolean(dailyPuzzle?.began) && this.#chooseMode() === "table";
    const seconds = isTimeTaken ? this.#clock.computeSecondsSince(dailyPuzzle.began, this.now()) : shownSeconds;
    this.screen.drawClock(seconds, isTimeTaken);
  }

  draw() {
    this.screen.draw(this.buildModel());
    this.updateClock();
  }

  /** Return everything that the screen shows. */
  buildModel() {
    const mode = this.#chooseMode();
    const state = this.#state;
    const dailyPuzzle = this.#dailyHand.puzzle;
    const dailyResult = this.#dailyResult;
    const isClosed = this.#closure !== null;
    const { isOffline } = this.#connection;
    const puzzle = dailyPuzzle ?? state?.round;
    const showsState = state && !dailyPuzzle && mode !== "closed";
    const offlineAnswer = dailyPuzzle && this.dailyStore.getOfflineAnswer(dailyPuzzle);
    const hasWaiting = this.#hasWaitingAnswer || this.dailyStore.hasOfflineAnswer;
    const { roundSelector } = this;
    return {
      mode,
      game: mode === "closed" ? undefined : puzzle?.game,
      place: isClosed ? null : dailyPuzzle ? formatDailyPlace(isOffline) : formatPlace(state),
      notice: isClosed || (dailyPuzzle && isOffline) ? null : this.#connection.notice,
      message: this.#chooseMessage(mode),
      puzzle,
      table: this.table,
      card: state?.card,
      state: dailyPuzzle ? makeDailyEnding(dailyPuzzle, offlineAnswer, dailyResult) : state,
      viewKey: [puzzle?.id, state?.winner, this.#closure, dailyResult],
      closure: formatClosure(this.#closure?.status, { hasWaiting }),
      pendingPress: this.#pendingPress,
      buttons: showsState ? listButtonRows(state, this.#pressToConfirm) : [],
      tabs: listTabs({ state, dailyPuzzle, offeredDailyPuzzle: this.#offeredDailyPuzzle, roundSelector, isClosed }),
      pageButtons: listPageButtons({
        mode,
        dailyPuzzle,
        state,
        canShare: this.telegram.canShare,
        dailyResult,
        hasFailed: this.#closure?.status === "failed",
      }),
      sidebar: showsState ? buildSidebar(state, this.#spectatorLink) : { people: [], link: null, canInvite: false },
    };
  }

  #chooseMessage(mode) {
    const state = this.#state;
    return chooseMessage({
      connection: this.#connection,
      newest: this.#message,
      pressToConfirm: this.#pressToConfirm,
      pendingPress: this.#pendingPress,
      isAwaitingVerdict: this.#dailyHand.isAwaitingVerdict,
      hasWaitingAnswer: this.#hasWaitingAnswer,
      dailyPuzzle: this.#dailyHand.puzzle,
      state,
      isSolvedOffline: mode === "ended",
      dailyResult: this.#dailyResult,
      isSolvedElsewhere: Boolean(state?.day) && this.dailyStore.isSolvedOffline(state.day),
    });
  }

  /** Whether an answer that was not given offline waits to be sent. */
  get #hasWaitingAnswer() {
    const waiting = [...(this.entries?.waiting ?? []), ...this.dailyStore.waitingAnswers];
    return waiting.some(({ answer, at }) => answer && at === undefined);
  }

  /** Return what the page shows: "closed", "loading", "empty", "watch", "ended", the "table" of tiles or the "card". */
  #chooseMode() {
    if (this.#closure) return "closed";
    const dailyPuzzle = this.#dailyHand.puzzle;
    if (dailyPuzzle) return this.dailyStore.isSolvedOffline(dailyPuzzle) || this.#dailyResult ? "ended" : "table";
    const state = this.#state;
    if (!state) return this.#connection.isConnected === false ? "closed" : "loading";
    if (!state.round) return "empty";
    if (!isInPlay(state.round)) return "ended";
    if (state.card) return "card";
    return this.table ? "table" : "watch";
  }
}

/** Return the kind of a reply's message; `right` is null or undefined for a reply that is no verdict. */
function getVerdictKind(right) {
  if (right === true) return "good";
  return right === false ? "bad" : "info";
}

function formatDailyPlace(isOffline) {
  return isOffline ? say("The day’s hand, offline") : say("The day’s hand");
}

function buildSidebar({ people, place, round }, link) {
  return { people, link, canInvite: isInPlay(round) && !["watch", "class"].includes(place.kind) };
}
