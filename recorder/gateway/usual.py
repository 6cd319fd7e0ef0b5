"""Words that most websites use in their paths and fields: no secret is told by them."""

WORDS = """
about access account action active activity add address admin ajax album amount api app archive article asset at
attachment audit auth author available avatar base basket before board body book brand bucket build button by cache
calendar cancel cart catalog category change channel chat check checkout city click client close code color column
comment company complete config confirm contact content context cookie count country coupon create created csrf css
currency current customer data date day default delete deleted delivery description detail device disabled do document
done download edit editor email empty enabled end entry error event export extra failed favorite feature feed field file
filter find first folder font form forum found from full function geo get given global grant graphql group health height
help hidden history home html http icon id image import in index info input invoice is item js json key kind label
language last latest layout left level like limit line link list load locale location lock log login logout mail main
map mark media member menu merge message meta method model modified module month more move name new news next no nonce
none note notification number object of offset old on open option or order out owner page parent part pass password
patch path pay payment percent phone photo php place plan play post preview previous price print private product profile
project public publish put quantity query question queue range rating read recent redirect refresh register reject
related remove reply report request reset resource response rest result return review right role root row rule sale save
scope script search section security select selected send session set setting share shipping shop show sign signin
signout signup site size sort source start state static stats status step stock stop store street style submit subtotal
success summary support sync system table tag target task tax team text theme thread thumbnail ticket time timeline
timestamp title to token tool topic total track transfer tree try type unit unread up update updated upload url user
username v1 v2 v3 valid value variant verify version video view week width word work year zip
"""
USUAL = frozenset(WORDS.split())
