import SharingKit

HelperProgram.run()
