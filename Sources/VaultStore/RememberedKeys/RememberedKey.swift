import SecureMemory
import VaultCrypto
import VaultModel

/// A vault key with the limits of its use, as the kernel keeps it.
///
/// `u8 1 ‖ vault key (32) ‖ u64 end ‖ boot id (16) ‖ u64 asleep ‖ u32 idle`, little-endian. *End*
/// is in nanoseconds since the boot, *asleep* how many of them the machine had slept, and *idle* in
/// seconds. Only the name says which vault it belongs to; the vault's head proves whether it is the
/// key.
struct RememberedKey: ~Copyable {
  static let byteCount = 69
  private static let version: UInt8 = 1
  private static let keyRange = 1..<33
  private static let endOffset = 33
  private static let bootRange = 41..<57
  private static let asleepOffset = 57
  private static let idleOffset = 65

  let content: KeyBuffer

  /// Reads the kernel's content; nil for another version.
  init?(_ content: consuming KeyBuffer) {
    guard content.count == Self.byteCount, Self.load(0, of: content) == Self.version else {
      return nil
    }
    self.content = content
  }

  /// Creates the content that the kernel keeps.
  init(_ keys: EpochKeys, _ time: RememberedTime, at mark: BootMark) {
    content = keys.withVaultKey { Self.content($0, time, at: mark) }
  }

  /// Creates the same key with other times.
  init(_ other: borrowing RememberedKey, _ time: RememberedTime, at mark: BootMark) {
    content = other.content.withRawBytes {
      Self.content($0.extracting(Self.keyRange), time, at: mark)
    }
  }

  private static func content(
    _ key: RawSpan, _ time: RememberedTime, at mark: BootMark
  ) -> KeyBuffer {
    var rest: [UInt8] = []
    (mark.now &+ UInt64(time.most) * 1_000_000_000).appendLittleEndian(to: &rest)
    rest += mark.bootID
    // The upper bound here and the lower one later: no wait between two clocks looks like sleep.
    mark.asleep.upperBound.appendLittleEndian(to: &rest)
    time.idle.appendLittleEndian(to: &rest)
    // The version, the key's 32 bytes and the rest fill the buffer.
    return unsafe KeyBuffer(count: byteCount) { buffer in
      unsafe buffer[0] = version
      unsafe key.withUnsafeBytes {
        unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[keyRange]).copyMemory(from: $0)
      }
      unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[endOffset...])
        .copyBytes(from: rest)
    }
  }

  /// Returns the keys of an epoch, if it is that epoch's vault key.
  func keys(of ident: Ident) -> EpochKeys {
    EpochKeys(
      content.withRawBytes { VaultKey(copying: $0.extracting(Self.keyRange)) }, ident: ident)
  }

  /// The seconds without a use after which the key is forgotten; 0 for one use.
  var idle: UInt32 { UInt32(littleEndian: Self.load(Self.idleOffset, of: content)) }

  /// Returns the seconds for which it may still be used; nil if its time is over, or the machine
  /// has slept or was started again since.
  func secondsLeft(at mark: BootMark) -> UInt32? {
    let end = UInt64(littleEndian: Self.load(Self.endOffset, of: content))
    let asleep = UInt64(littleEndian: Self.load(Self.asleepOffset, of: content))
    let isSameBoot = content.withRawBytes { bytes in
      // Every index is below the content's count.
      mark.bootID.indices.allSatisfy { index in
        unsafe bytes.unsafeLoad(fromByteOffset: Self.bootRange.lowerBound + index, as: UInt8.self)
          == mark.bootID[index]
      }
    }
    guard isSameBoot, mark.now < end, mark.asleep.lowerBound <= asleep else { return nil }
    return UInt32(clamping: (end - mark.now + 999_999_999) / 1_000_000_000)
  }

  private static func load<T: BitwiseCopyable>(
    _ offset: Int, of content: borrowing KeyBuffer
  ) -> T {
    // The offsets are constants that leave room for each field, and any bits are a number.
    content.withRawBytes { unsafe $0.unsafeLoadUnaligned(fromByteOffset: offset, as: T.self) }
  }
}
