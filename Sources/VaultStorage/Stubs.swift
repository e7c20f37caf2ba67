package import VaultModel
package struct PastRecord: Sendable { package let isRemovedItem: Bool; package let id: ItemID; package let key: InternetPassword.Key; package let secretChanged: Timestamp }
extension FileTransaction {
  package func policy() throws(VaultError) -> PersistencePolicy { .empty }
  package func setPolicy(_ p: PersistencePolicy) throws(VaultError) {}
  package func remove(_ p: PastRecord) throws(VaultError) {}

}
extension FileStore { package func policy() throws(VaultError) -> PersistencePolicy { .empty } }
extension BucketSource { func pastRecords() throws(VaultError) -> [PastRecord] { [] } }
