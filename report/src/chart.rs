//! Line charts as inline SVG.
//!
//! The colours in a drawing are keys that no drawing would use otherwise (`#000001`, `#000002`, …), and the style sheet
//! maps each to a colour of the reader's scheme, light or dark.

use crate::error::ReportError;
use crate::number::fixed;
use maud::{Markup, PreEscaped, html};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Size of the drawing in its own units; the page scales it to the column.
const SIZE: (u32, u32) = (480, 270);
const FONT: &str = "sans-serif";
const FONT_SIZE: u32 = 13;

const TEXT: RGBColor = RGBColor(0, 0, 1);
const GRID: RGBColor = RGBColor(0, 0, 2);
const AXIS: RGBColor = RGBColor(0, 0, 3);
/// Key colours of the series, in their order; `.s0`, `.s1`, … in the style sheet.
const SERIES: [RGBColor; 4] = [RGBColor(0, 0, 16), RGBColor(0, 0, 17), RGBColor(0, 0, 18), RGBColor(0, 0, 19)];

/// A point, perhaps with an interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Generation.
    pub x: f64,
    /// Value.
    pub y: f64,
    /// Half width of the 95 % interval; 0 for none.
    pub error: f64,
}

/// A line of points.
#[derive(Clone, Debug)]
pub struct Series {
    /// Its name in the legend.
    pub name: &'static str,
    /// Its points, left to right.
    pub points: Vec<Point>,
}

impl Series {
    /// A series from values by generation; those that are absent or not finite are left out.
    pub fn new(name: &'static str, values: impl IntoIterator<Item = (u32, Option<f64>)>) -> Series {
        let point = |(generation, y): (u32, Option<f64>)| {
            let y = y.filter(|y| y.is_finite())?;
            Some(Point { x: f64::from(generation), y, error: 0.0 })
        };
        Series { name, points: values.into_iter().filter_map(point).collect() }
    }
}

/// Where the vertical axis begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Baseline {
    /// At zero: for shares, counts and speeds.
    Zero,
    /// Wherever the values are: for losses and ratings.
    Free,
}

/// A chart over generations.
#[derive(Clone, Debug)]
pub struct Chart {
    /// What is shown.
    pub title: &'static str,
    /// Label of the vertical axis, with its unit.
    pub unit: &'static str,
    /// Label of the horizontal axis.
    pub across: &'static str,
    /// Where the vertical axis begins.
    pub baseline: Baseline,
    /// Digits after the point on the vertical axis, at least.
    pub digits: usize,
    /// The lines.
    pub series: Vec<Series>,
}

impl Chart {
    /// The drawing with its title and, if there are several lines, a legend; nothing where there is no point to draw.
    ///
    /// # Errors
    /// The drawing library refuses.
    pub fn figure(&self) -> Result<Markup, ReportError> {
        let Some(svg) = self.svg()? else { return Ok(html! {}) };
        let drawn = || self.series.iter().enumerate().filter(|(_, series)| !series.points.is_empty());
        Ok(html! {
            figure {
                figcaption {
                    b { (self.title) }
                    @if drawn().count() > 1 {
                        span.legend {
                            @for (at, series) in drawn() { span { i class={ "swatch s" (at) } {} (series.name) } }
                        }
                    }
                }
                (PreEscaped(svg))
            }
        })
    }

    /// The SVG element; `None` if there is no point to draw.
    ///
    /// # Errors
    /// The drawing library refuses.
    fn svg(&self) -> Result<Option<String>, ReportError> {
        let Some(((left, right), (bottom, top))) = self.bounds() else { return Ok(None) };
        let mut svg = String::new();
        {
            let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
            let drawn = self.draw(&area, left..right, bottom..top).and_then(|()| area.present());
            drawn.map_err(|error| ReportError::Chart(error.to_string()))?;
        }
        Ok(Some(svg.trim().to_owned()))
    }

    /// Ranges that hold every point and its interval, with some room.
    fn bounds(&self) -> Option<((f64, f64), (f64, f64))> {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let least = |values: &mut dyn Iterator<Item = f64>| values.reduce(f64::min);
        let most = |values: &mut dyn Iterator<Item = f64>| values.reduce(f64::max);
        let left = least(&mut points().map(|point| point.x))?;
        let right = most(&mut points().map(|point| point.x))?;
        let mut bottom = least(&mut points().map(|point| point.y - point.error))?;
        let mut top = most(&mut points().map(|point| point.y + point.error))?;
        if self.baseline == Baseline::Zero {
            bottom = bottom.min(0.0);
        }
        // A flat line needs room too, in proportion to what it shows.
        let room = if top > bottom { (top - bottom) * 0.08 } else { top.abs().max(0.1) * 0.2 };
        top += room;
        if self.baseline == Baseline::Free {
            bottom -= room;
        }
        let side = ((right - left) * 0.04).max(0.3);
        Some(((left - side, right + side), (bottom, top)))
    }

    fn draw(
        &self,
        area: &DrawingArea<SVGBackend<'_>, Shift>,
        across: std::ops::Range<f64>,
        up: std::ops::Range<f64>,
    ) -> Result<(), DrawingAreaErrorKind<<SVGBackend<'_> as DrawingBackend>::ErrorType>> {
        let label = (FONT, FONT_SIZE).into_font().color(&TEXT);
        let mut chart = ChartBuilder::on(area)
            .margin_top(8)
            .margin_right(10)
            .x_label_area_size(38)
            .y_label_area_size(58)
            .build_cartesian_2d(across, up.clone())?;
        let digits = self.digits.max(decimals((up.end - up.start) / 5.0));
        chart
            .configure_mesh()
            .disable_x_mesh()
            .bold_line_style(GRID.stroke_width(1))
            .light_line_style(TRANSPARENT)
            .axis_style(AXIS.stroke_width(1))
            .set_all_tick_mark_size(3)
            .x_labels(9)
            .y_labels(6)
            .x_label_formatter(&|x| if x.fract() == 0.0 { format!("{x:.0}") } else { String::new() })
            .y_label_formatter(&|y| fixed(*y, digits))
            .x_desc(self.across)
            .y_desc(self.unit)
            .label_style(label.clone())
            .axis_desc_style(label.pos(Pos::new(HPos::Center, VPos::Center)))
            .draw()?;
        for (series, colour) in self.series.iter().zip(SERIES) {
            let bars = series.points.iter().filter(|point| point.error > 0.0).map(|point| {
                let ends = vec![(point.x, point.y - point.error), (point.x, point.y + point.error)];
                PathElement::new(ends, colour.stroke_width(1))
            });
            chart.draw_series(bars)?;
            let line = series.points.iter().map(|point| (point.x, point.y));
            chart.draw_series(LineSeries::new(line, colour.stroke_width(2)))?;
            let dots = series.points.iter().map(|point| Circle::new((point.x, point.y), 3, colour.filled()));
            chart.draw_series(dots)?;
        }
        Ok(())
    }
}

/// Digits after the point that tell steps of this size apart.
fn decimals(step: f64) -> usize {
    (0..4).find(|&digits| step >= 10f64.powi(-digits)).unwrap_or(4) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(points: &[(u32, Option<f64>)]) -> Chart {
        let series = vec![Series::new("loss", points.iter().copied())];
        Chart { title: "Loss", unit: "nats", across: "generation", baseline: Baseline::Free, digits: 1, series }
    }

    #[test]
    fn nothing_is_drawn_of_nothing() {
        assert_eq!(chart(&[]).svg().unwrap(), None);
        assert_eq!(chart(&[(1, None), (2, Some(f64::NAN))]).svg().unwrap(), None);
    }

    #[test]
    fn one_point_is_enough() {
        let svg = chart(&[(1, Some(0.0))]).svg().unwrap().unwrap();
        assert!(svg.starts_with("<svg") && svg.contains("nats") && svg.contains("<circle"), "{svg}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }

    #[test]
    fn the_style_sheet_knows_every_key_colour() {
        for colour in [TEXT, GRID, AXIS].iter().chain(&SERIES) {
            let key = format!("#{:02X}{:02X}{:02X}", colour.0, colour.1, colour.2);
            assert!(include_str!("style.css").contains(&key), "{key}");
        }
    }
}
