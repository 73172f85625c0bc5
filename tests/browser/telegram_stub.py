"""A stub of Telegram's script that records its calls."""

SCRIPT = "https://telegram.org/js/telegram-web-app.js"
STUB = """
const called = (window.called = []);
const words = (given) => given.filter((each) => typeof each !== "function");
const noted = (name) => (...given) => called.push([name, ...words(given)].join(" "));
const theme = {
  "bg-color": "#17212b", "text-color": "#f5f5f5", "secondary-bg-color": "#232e3c",
  "button-color": "#5288c1", "button-text-color": "#ffffff", "section-bg-color": "#17212b",
};
const style = document.documentElement.style;
for (const [name, value] of Object.entries(theme)) style.setProperty(`--tg-theme-${name}`, value);
style.setProperty("--tg-safe-area-inset-top", "30px");
window.back = () => window.goesBack();
window.Telegram = { WebApp: {
  colorScheme: "dark", isVersionAtLeast: () => true, onEvent: noted("on"),
  ready: noted("ready"), expand: noted("expand"), disableVerticalSwipes: noted("no swipes"),
  enableClosingConfirmation: noted("confirm"), disableClosingConfirmation: noted("do not confirm"),
  shareMessage: noted("share"),
  BackButton: { onClick: (does) => (window.goesBack = does), show: noted("back"), hide: noted("no back") },
  HapticFeedback: {
    selectionChanged() {}, impactOccurred: noted("impact"), notificationOccurred: noted("haptic"),
  },
} };
"""
