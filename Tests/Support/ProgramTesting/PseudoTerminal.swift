public import Foundation
import Glibc

/// A terminal whose user is a test.
public final class PseudoTerminal {
  private let master: Int32
  /// The program's end, for its standard input.
  public let slave: FileHandle
  /// What was shown so far.
  public private(set) var shown = ""

  /// A call of the system that failed.
  public struct Failure: Error, Sendable {
    /// The system's number.
    public let number = errno
  }

  /// Opens a terminal.
  ///
  /// - Throws: ``Failure``.
  public init() throws {
    // A literal, which ends with NUL.
    master = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var number: UInt32 = 0
    var isLocked: Int32 = 0
    // Each request reads or writes one integer of ours.
    guard master >= 0, unsafe ioctl(master, Self.unlock, &isLocked) == 0,
      unsafe ioctl(master, Self.getNumber, &number) == 0
    else { throw Failure() }
    let descriptor = unsafe open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure() }
    slave = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  deinit { close(master) }

  /// TIOCSPTLCK and TIOCGPTN of ioctl_tty(2), macros that Swift does not import.
  private static let unlock: UInt = 0x4004_5431
  private static let getNumber: UInt = 0x8004_5430

  /// Whether typed text is shown.
  public var echoes: Bool {
    var settings = termios()
    // The structure is ours.
    return unsafe tcgetattr(master, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
  }

  /// Types a dialogue, each text when its prompt has appeared, until the program ends.
  ///
  /// - Parameters:
  ///   - dialogue: The texts to wait for, each with the text to type then, if any.
  ///   - isRunning: Whether the program still runs.
  public func hold(
    _ dialogue: [(shown: String, typed: String?)], while isRunning: () throws -> Bool
  ) rethrows {
    var asked = 0
    var seen = 0
    while try isRunning() {
      _ = read()
      let rest = shown.dropFirst(seen)
      guard asked < dialogue.count, let range = rest.range(of: dialogue[asked].shown) else {
        continue
      }
      seen = shown.distance(from: shown.startIndex, to: range.upperBound)
      if let typed = dialogue[asked].typed { type(typed) }
      asked += 1
    }
    while read() {}
  }

  private func type(_ text: String) {
    let keys =
      switch text {
      case "^C": "\u{3}"
      case "^D": "\u{4}"
      case "^Z": "\u{1A}"
      case "^\\": "\u{1C}"
      default: text + "\n"
      }
    let bytes = Array(keys.utf8)
    // As many bytes as the array has.
    _ = unsafe write(master, bytes, bytes.count)
  }

  /// Reads available output, waiting a moment for it, and returns whether there was any.
  private func read() -> Bool {
    var event = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
    // One structure of ours.
    guard unsafe poll(&event, 1, 20) > 0, event.revents & Int16(POLLIN) != 0 else {
      return false
    }
    var buffer = [UInt8](repeating: 0, count: 4096)
    // As many bytes as the array has.
    let count = unsafe Glibc.read(master, &buffer, buffer.count)
    guard count > 0 else { return false }
    shown += String(decoding: buffer[..<count], as: UTF8.self)
    return true
  }
}

@available(*, unavailable)
extension PseudoTerminal: Sendable {}
