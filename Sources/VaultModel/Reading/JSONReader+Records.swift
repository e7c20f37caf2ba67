/// The faults of one record of a document that another program wrote, which stop no other record.
package struct RecordFaults: Sendable {
  /// The reason to reject the record, such as a text that is not UTF-8, or that it is too long; nil
  /// if there is none.
  package internal(set) var problem: VaultError?
  /// The names of members whose text has half of a surrogate pair, as its escape: `\ud83d`.
  package internal(set) var halves: [String] = []
}

// The records of a document.
extension JSONReader {
  /// Begins a record: everything up to ``endRecord()`` is within the limit of a record.
  package func beginRecord() {
    isInRecord = true
    recordEnd = source.offset + limits.record
  }

  /// Ends a record, which was read or skipped to its end, and returns its faults.
  ///
  /// Only documents of another program have any: in others, each is thrown.
  @discardableResult
  package func endRecord() -> RecordFaults {
    let faults = faults
    (isInRecord, recordEnd, isCut) = (false, .max, false)
    self.faults = RecordFaults()
    return faults
  }

  /// Notes a fault of the record, or throws it if it is not one of a record alone.
  func note(_ fault: @autoclosure () -> VaultError) throws(VaultError) {
    guard isForeign, isInRecord else { throw fault() }
    faults.problem = faults.problem ?? fault()
  }

  /// Notes a fault behind which the record has no more members, and no text.
  func cut(_ fault: @autoclosure () -> VaultError) throws(VaultError) {
    try note(fault())
    isCut = true
  }

  /// Notes half of a surrogate pair in the value of the last name.
  func noteHalf() throws(VaultError) {
    guard isForeign, isInRecord else { throw invalid("half of a surrogate pair") }
    if faults.halves.last != lastName { faults.halves.append(lastName) }
  }
}
