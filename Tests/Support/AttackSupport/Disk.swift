/// The state of a disk with a vault and its journal, and of the writes that are only in the
/// system's memory so far.
package struct Disk: Sendable {
  /// The effect of a power cut on writes that were not synchronized.
  package struct Wear: Sendable {
    package enum Tearing: CaseIterable, Sendable {
      /// A sector is old or new.
      case none
      /// Or it is half of each.
      case halves
      /// Or the part to be written there is garbage.
      case garbage
    }

    /// The size of a sector in bytes.
    package let sector: Int
    package let tearing: Tearing
    /// Whether garbage stays within the written range, rather than extending to the sector around
    /// it.
    package let isPowersafe: Bool
    /// The number of writes out of four that survive.
    package let survivors: Int
  }

  fileprivate enum Change {
    case write(offset: Int, [UInt8])
    case truncate(count: Int)
  }

  fileprivate struct Inode {
    var synchronized: [UInt8] = []
    var waiting: [Change] = []
  }

  private var inodes: [Inode] = []
  /// The files that the program sees, by name.
  private var names: [Trace.File: Int] = [:]
  private var synchronizedNames: [Trace.File: Int] = [:]
  /// Names that were added (with their file) or removed since the folder was synchronized.
  private var waitingNames: [(name: Trace.File, inode: Int?)] = []

  /// Creates a disk with a vault on it, and nothing beside it.
  package init(vault: [UInt8]) {
    inodes = [Inode(synchronized: vault)]
    names = [.vault: 0]
    synchronizedNames = names
  }

  /// Applies a step of a program.
  package mutating func perform(_ step: Trace.Step) {
    switch step {
    case .create(let file):
      inodes.append(Inode())
      setName(file, inodes.count - 1)
    case .remove(let file): setName(file, nil)
    case .write(let file, let offset, let bytes): change(file, .write(offset: offset, bytes))
    case .truncate(let file, let count): change(file, .truncate(count: count))
    case .synchronize(let file):
      guard let inode = names[file] else { return }
      inodes[inode].synchronized = inodes[inode].latest
      inodes[inode].waiting = []
    case .synchronizeFolder:
      synchronizedNames = names
      waitingNames = []
    }
  }

  private mutating func setName(_ name: Trace.File, _ inode: Int?) {
    names[name] = inode
    waitingNames.append((name, inode))
  }

  private mutating func change(_ file: Trace.File, _ change: Change) {
    guard let inode = names[file] else { return }
    inodes[inode].waiting.append(change)
  }

  /// Returns the files that are found when the power is back; nil for one that does not exist.
  package func afterCut<R: RandomNumberGenerator>(
    _ wear: Wear, using random: inout R
  ) -> (vault: [UInt8]?, journal: [UInt8]?) {
    var names = synchronizedNames
    for change in waitingNames where wear.isSurvivor(&random) { names[change.name] = change.inode }
    let vault = names[.vault].map { inodes[$0].afterCut(wear, using: &random) }
    let journal = names[.journal].map { inodes[$0].afterCut(wear, using: &random) }
    return (vault, journal)
  }
}

extension Disk.Wear {
  fileprivate func isSurvivor<R: RandomNumberGenerator>(_ random: inout R) -> Bool {
    Int.random(in: 0..<4, using: &random) < survivors
  }
}

extension Disk.Inode {
  /// The content that a program reads.
  fileprivate var latest: [UInt8] {
    var bytes = synchronized
    for change in waiting {
      switch change {
      case .write(let offset, let new): bytes.put(new[...], at: offset)
      case .truncate(let count): bytes.resize(to: count)
      }
    }
    return bytes
  }

  /// Returns the content after a power cut: each sector of each write survives or not,
  /// independently of earlier ones; the length is that of one of the moments since it was
  /// synchronized.
  fileprivate func afterCut<R: RandomNumberGenerator>(
    _ wear: Disk.Wear, using random: inout R
  ) -> [UInt8] {
    var bytes = synchronized
    var counts = [bytes.count]
    for change in waiting {
      switch change {
      case .write(let offset, let new):
        counts.append(max(counts[counts.count - 1], offset + new.count))
        var start = 0
        while start < new.count {
          let sector = (offset + start) / wear.sector * wear.sector
          let end = min(new.count, sector + wear.sector - offset)
          wear.apply(new[start..<end], writtenAt: offset, to: &bytes, sector, using: &random)
          start = end
        }
      case .truncate(let count):
        counts.append(count)
        if wear.isSurvivor(&random) { bytes.resize(to: count) }
      }
    }
    let earliest = wear.isSurvivor(&random) ? counts.count - 1 : 0
    bytes.resize(to: counts[.random(in: earliest..<counts.count, using: &random)])
    return bytes
  }
}

extension Disk.Wear {
  /// Writes the part of a write that is in one sector to the disk, completely, not at all, or torn.
  fileprivate func apply<R: RandomNumberGenerator>(
    _ part: ArraySlice<UInt8>, writtenAt offset: Int, to bytes: inout [UInt8], _ sectorStart: Int,
    using random: inout R
  ) {
    guard tearing != .none, Int.random(in: 0..<8, using: &random) == 0 else {
      if isSurvivor(&random) { bytes.put(part, at: offset + part.startIndex) }
      return
    }
    switch tearing {
    case .halves where Bool.random(using: &random):
      bytes.put(part.prefix(part.count / 2), at: offset + part.startIndex)
    case .halves:
      let half = part.suffix(part.count / 2)
      bytes.put(half, at: offset + half.startIndex)
    case .garbage, .none:
      let written = offset + part.startIndex..<offset + part.endIndex
      let end = max(written.upperBound, min(bytes.count, sectorStart + sector))
      let spoiled = isPowersafe ? written : sectorStart..<end
      let garbage = spoiled.map { _ in UInt8.random(in: .min ... .max, using: &random) }
      bytes.put(garbage[...], at: spoiled.lowerBound)
    }
  }
}

extension [UInt8] {
  fileprivate mutating func put(_ bytes: ArraySlice<UInt8>, at offset: Int) {
    if count < offset + bytes.count { resize(to: offset + bytes.count) }
    replaceSubrange(offset..<offset + bytes.count, with: bytes)
  }

  fileprivate mutating func resize(to count: Int) {
    if count < self.count {
      removeLast(self.count - count)
    } else {
      self += [UInt8](repeating: 0, count: count - self.count)
    }
  }
}
