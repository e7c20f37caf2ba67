import Glibc
import VaultModel
import VaultTerminal

/// A bar on a terminal for work that takes more than half a second; nothing is shown elsewhere.
///
/// ``clear()``, ``interrupt()`` and an error that ends the work erase it, so that no other message
/// follows it on its line.
final class Progress {
  /// The longest bar, and what its line has beside it at most: ` 100 %, 59m59s left`.
  private static let longest = 30
  private static let textWidth = 19
  private static let delay = Duration.milliseconds(500)

  private let title: String
  private let isShown: Bool
  private let start = ContinuousClock.now
  /// The first share and its time: what was before it, such as a prompt or the derivation of a key,
  /// says nothing about the speed.
  private var first: (share: Double, time: ContinuousClock.Instant)?
  private var shownPercent = -1
  private var shownLength = 0

  /// - Parameters:
  ///   - title: The work that is being done: `re-encrypting`.
  ///   - isQuiet: Shows nothing at all.
  init(_ title: String, isQuiet: Bool) {
    self.title = title
    isShown = !isQuiet && isatty(STDERR_FILENO) == 1
  }

  deinit { clear() }

  /// Shows the share that is done, 0 to 1, and the time that the rest takes at the same speed.
  func update(_ share: Double) {
    guard isShown else { return }
    let now = ContinuousClock.now
    let first = first ?? (share, now)
    self.first = first
    let percent = Int(share * 100)
    guard percent != shownPercent, now - start > Self.delay else { return }
    shownPercent = percent
    let line = Self.line(
      title, share: share, of: share - first.share, in: now - first.time,
      columns: TextWidth.columns(of: STDERR_FILENO) ?? 80)
    // Over what is longer from before.
    write("\r" + line + Self.blanks(shownLength - line.utf8.count))
    shownLength = line.utf8.count
  }

  /// Makes the line of a bar: `comparing [######........................] 20 %, 12s left`.
  ///
  /// - Parameters:
  ///   - title: The work that is being done.
  ///   - share: The share of it that is done, 0 to 1.
  ///   - part: The share that was done in a time.
  ///   - elapsed: That time.
  ///   - columns: Those of the terminal; the bar is shorter on a narrow one, which would otherwise
  ///     scroll with each line.
  /// - Returns: The line, shorter than the terminal.
  static func line(
    _ title: String, share: Double, of part: Double, in elapsed: Duration, columns: Int
  ) -> String {
    let width = min(longest, columns - 1 - title.utf8.count - 3 - textWidth)
    let full = Int(share * Double(max(0, width)))
    let bar =
      width > 0
      ? " [" + String(repeating: "#", count: full) + String(repeating: ".", count: width - full)
        + "]" : ""
    let line = "\(title)\(bar) \(Int(share * 100)) %"
    guard part > 0, share < 1 else { return TextWidth.cut(line, to: columns - 1) }
    let left = (elapsed * ((1 - share) / part)).components.seconds
    let time = RememberedTime.span(UInt32(clamping: max(1, left)))
    return TextWidth.cut("\(line), \(time) left", to: columns - 1)
  }

  /// Erases the bar.
  func clear() {
    guard shownPercent >= 0 else { return }
    shownPercent = -1
    // Not a command of the terminal, which a dumb one would show.
    write("\r" + Self.blanks(shownLength) + "\r")
    shownLength = 0
  }

  /// Erases the bar for a prompt, whose time does not count.
  func interrupt() {
    clear()
    first = nil
  }

  private static func blanks(_ count: Int) -> String {
    String(repeating: " ", count: max(0, count))
  }

  private func write(_ text: String) {
    do throws(VaultError) {
      try Descriptor.write(text, to: STDERR_FILENO)
    } catch {
      // Failing to show a bar stops nothing.
      return
    }
  }
}
