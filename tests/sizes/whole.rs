//! What every screen must be, whatever it shows.

use crate::rig::Rig;
use unicode_width::UnicodeWidthStr;

/// Characters that act on a terminal or on the text around them instead of being seen.
fn acts(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}' | '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}'
        )
}

/// Draws the screen and says what is wrong with it.
pub fn check(rig: &Rig) -> Result<(), String> {
    let buffer = rig.buffer();
    let area = buffer.area;
    for y in 0..area.height {
        let mut x = 0;
        while x < area.width {
            let symbol = buffer[(x, y)].symbol();
            let wide = symbol.width() as u16;
            let wrong =
                |what: &str| Err(format!("{what}: {symbol:?} at {x}, {y} of {}×{}", area.width, area.height));
            if symbol.chars().any(acts) {
                return wrong("a character that acts");
            }
            if wide == 0 {
                return wrong("a cell without width");
            }
            if x + wide > area.width {
                return wrong("sticks out");
            }
            // What stands behind a wide cell is not drawn.
            for follower in x + 1..x + wide {
                if buffer[(follower, y)].symbol() != " " {
                    return wrong(&format!("covers {:?}", buffer[(follower, y)].symbol()));
                }
            }
            x += wide;
        }
    }
    Ok(())
}
