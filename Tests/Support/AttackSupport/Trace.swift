import CFaultVFS

/// A program's operations on a vault and its journal, in their order.
package struct Trace: Sendable {
  package enum File: Int, Sendable {
    case vault
    case journal
  }

  package enum Step: Sendable {
    case create(File)
    case write(File, offset: Int, [UInt8])
    case truncate(File, count: Int)
    case synchronize(File)
    case remove(File)
    case synchronizeFolder
  }

  /// The end of an operation.
  package struct Mark: Sendable {
    /// The number of steps that had been done.
    package let steps: Int
    /// The state folder's record at that time.
    package let record: [UInt8]
  }

  package private(set) var steps: [Step] = []
  /// The marks in the order of the operations.
  package private(set) var marks: [Mark] = []

  package struct Malformed: Error {
    package let offset: Int
  }

  /// Reads the output of `fault_vfs_record`.
  ///
  /// - Throws: ``Malformed`` if it is cut off, or holds something that no vault does.
  package init(_ bytes: [UInt8]) throws {
    let headerCount = MemoryLayout<fault_vfs_entry>.size
    var offset = 0
    while offset < bytes.count {
      guard offset + headerCount <= bytes.count else { throw Malformed(offset: offset) }
      // As many bytes as an entry has lie there.
      let entry = unsafe bytes.withUnsafeBytes {
        unsafe $0.loadUnaligned(fromByteOffset: offset, as: fault_vfs_entry.self)
      }
      let start = offset + headerCount
      let end = start + Int(entry.count)
      guard let file = File(rawValue: Int(entry.file)), end <= bytes.count else {
        throw Malformed(offset: offset)
      }
      let content = Array(bytes[start..<end])
      switch Unicode.Scalar(entry.kind) {
      case "C": steps.append(.create(file))
      case "W": steps.append(.write(file, offset: Int(entry.offset), content))
      case "T": steps.append(.truncate(file, count: Int(entry.offset)))
      case "S": steps.append(.synchronize(file))
      case "D": steps.append(.remove(file))
      case "F": steps.append(.synchronizeFolder)
      case "M" where entry.offset == marks.count:
        marks.append(Mark(steps: steps.count, record: content))
      default: throw Malformed(offset: offset)
      }
      offset = end
    }
  }

  /// The number of times that the journal was written after the vault, before it was removed.
  package var spills: Int {
    var (spills, hasVaultChanged) = (0, false)
    for step in steps {
      switch step {
      case .write(.vault, _, _): hasVaultChanged = true
      case .write(.journal, _, _) where hasVaultChanged:
        spills += 1
        hasVaultChanged = false
      case .remove(.journal): hasVaultChanged = false
      default: break
      }
    }
    return spills
  }

  /// The same trace on a disk that reports synchronizing a folder without doing it:
  /// `synchronous=FULL` relies on that.
  package var withoutFolders: Trace {
    without { if case .synchronizeFolder = $0 { true } else { false } }
  }

  /// The same trace on a disk that reports synchronizing and never does it.
  package var withoutSynchronizing: Trace {
    withoutFolders.without { if case .synchronize = $0 { true } else { false } }
  }

  private func without(_ isLost: (Step) -> Bool) -> Trace {
    var trace = self
    trace.steps = []
    var kept = [0]
    for step in steps {
      if !isLost(step) { trace.steps.append(step) }
      kept.append(trace.steps.count)
    }
    trace.marks = marks.map { Mark(steps: kept[$0.steps], record: $0.record) }
    return trace
  }
}
